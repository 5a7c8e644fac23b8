import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { encode } from 'dns-packet'
import type { SandboxDescription } from '../../../sandbox/sandbox.ts'
import type { Random } from '../../../sandbox/testing/random.ts'
import { malformedPacket } from './packets.ts'
import { type Malformed, malformedRequest } from './requests.ts'

/** The number of responses by their status. */
export type Statuses = Map<string, number>

function count(statuses: Statuses, status: string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

const pipelined = 40
const timeoutMs = 10_000

/** Sends requests on one connection without waiting between them. Resolves when each has its response. */
const sendPipelined = (requests: readonly Malformed[], statuses: Statuses): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(requests[0]?.port ?? 0, '127.0.0.1')
    let answered = 0
    let rest = ''
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`${answered} of ${requests.length} requests were answered in ${timeoutMs} ms.`))
    }, timeoutMs)
    socket.setEncoding('latin1').on('data', chunk => {
      rest += chunk
      for (const [, status = ''] of rest.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        answered += 1
        count(statuses, status)
      }
      // A chunk can end in the middle of a status line.
      rest = /HTTP\/1[^\n]{0,8}$|H[^\n]{0,5}$/.exec(rest)?.[0] ?? ''
      if (answered >= requests.length) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    socket.write(Buffer.concat(requests.map(({ bytes }) => bytes)))
  })

/** Sends bytes and closes the connection soon after, without waiting for a response. */
async function sendAlone({ port, bytes }: Malformed): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  await new Promise<void>(resolve => {
    socket.once('close', () => resolve())
    socket.write(bytes, () => setTimeout(() => socket.destroy(), 2))
  })
}

/** Sends a number of malformed requests to all HTTP ports. */
export async function sendRequests(
  random: Random,
  at: SandboxDescription,
  amount: number,
  statuses: Statuses,
): Promise<void> {
  const waiting = new Map<number, Malformed[]>()
  const running = new Set<Promise<void>>()
  async function start(sending: Promise<void>) {
    const ended = sending.finally(() => running.delete(ended))
    running.add(ended)
    if (running.size >= 24) await Promise.race(running)
  }
  for (let sent = 0; sent < amount; sent += 1) {
    const malformed = malformedRequest(random, at)
    if (!malformed.framed) {
      await start(sendAlone(malformed))
      continue
    }
    const queue = [...(waiting.get(malformed.port) ?? []), malformed]
    waiting.set(malformed.port, queue.length < pipelined ? queue : [])
    if (queue.length >= pipelined) await start(sendPipelined(queue, statuses))
  }
  for (const queue of waiting.values()) if (queue.length > 0) await start(sendPipelined(queue, statuses))
  await Promise.all(running)
}

const validQuery = encode({ type: 'query', id: 4711, questions: [{ name: 'home.example.com', type: 'A' }] })

/** Sends malformed datagrams. Waits for a valid answer after each hundred, so that no full buffer drops any. */
async function sendDatagrams(
  random: Random,
  { host, port }: SandboxDescription['nameServer'],
  amount: number,
): Promise<void> {
  const socket = createSocket('udp4')
  const isAnswer = (message: Buffer) => message.length > 40 && message.readUInt16BE(0) === 4711
  for (let sent = 0; sent < amount; ) {
    for (let burst = 0; burst < 100 && sent < amount; burst += 1, sent += 1) {
      socket.send(malformedPacket(random), port, host)
    }
    const answer = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error('The name server stopped answering over UDP.')),
        timeoutMs,
      )
      const again = setInterval(() => socket.send(validQuery, port, host), 200)
      function listen(message: Buffer) {
        if (!isAnswer(message)) return
        clearTimeout(timer)
        clearInterval(again)
        socket.off('message', listen)
        resolve()
      }
      socket.on('message', listen)
    })
    socket.send(validQuery, port, host)
    await answer
  }
  socket.close()
}

async function sendStream(random: Random, port: number, messages: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  const framed = Array.from({ length: messages }, () => {
    const message = malformedPacket(random)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(random.chance(95) ? message.length : random.below(0x10000))
    return Buffer.concat([length, message])
  })
  const closed = once(socket, 'close')
  socket.write(Buffer.concat(framed), () => setTimeout(() => socket.destroy(), 2))
  await closed
}

/** Sends a number of malformed messages to both name servers, 80 % of them over UDP. */
export async function sendPackets(random: Random, at: SandboxDescription, amount: number): Promise<void> {
  const perServer = amount / at.nameServers.length
  for (const server of at.nameServers) {
    await sendDatagrams(random, server, perServer * 0.8)
    for (let sent = 0; sent < perServer * 0.2; sent += 200) {
      await Promise.all(Array.from({ length: 20 }, () => sendStream(random, server.port, 10)))
    }
  }
}
