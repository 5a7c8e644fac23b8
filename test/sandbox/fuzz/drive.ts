import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { encode } from 'dns-packet'
import type { SandboxDescription } from '../../../sandbox/sandbox.ts'
import type { Random } from '../../support/random.ts'
import { malformedPacket } from './packets.ts'
import { type Malformed, malformedRequest } from './requests.ts'

/** What came back, by the status of the answer; connections that ended without one are `none`. */
export type Statuses = Map<string, number>

const count = (statuses: Statuses, status: string): void => {
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

const pipelined = 40
const patienceMs = 10_000

/** Sends requests on one connection, one behind the other, and waits until each has its answer. */
const sendPipelined = (requests: readonly Malformed[], statuses: Statuses): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(requests[0]?.port ?? 0, '127.0.0.1')
    let answered = 0
    let rest = ''
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`${answered} of ${requests.length} requests were answered in ${patienceMs} ms.`))
    }, patienceMs)
    socket.setEncoding('latin1').on('data', chunk => {
      rest += chunk
      for (const [, status = ''] of rest.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        answered += 1
        count(statuses, status)
      }
      // A status line may be cut in two by the edge of a chunk.
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

/** Sends bytes and leaves, whatever comes. */
const sendAlone = async ({ port, bytes }: Malformed): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.resume()
  await new Promise<void>(resolve => {
    socket.once('close', () => resolve())
    socket.write(bytes, () => setTimeout(() => socket.destroy(), 2))
  })
}

/** Sends so many malformed requests, to all ports that speak HTTP. */
export const sendRequests = async (
  random: Random,
  at: SandboxDescription,
  amount: number,
  statuses: Statuses,
): Promise<void> => {
  const waiting = new Map<number, Malformed[]>()
  const running = new Set<Promise<void>>()
  const start = async (sending: Promise<void>) => {
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

const sane = encode({ type: 'query', id: 4711, questions: [{ name: 'home.example.com', type: 'A' }] })

/** Sends datagrams, and waits now and then for a true answer, so that none is lost in a full buffer. */
const sendDatagrams = async (
  random: Random,
  { host, port }: SandboxDescription['nameServer'],
  amount: number,
): Promise<void> => {
  const socket = createSocket('udp4')
  const isTrue = (message: Buffer) => message.length > 40 && message.readUInt16BE(0) === 4711
  for (let sent = 0; sent < amount; ) {
    for (let burst = 0; burst < 100 && sent < amount; burst += 1, sent += 1) {
      socket.send(malformedPacket(random), port, host)
    }
    const answer = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error('The name server answers no more over UDP.')),
        patienceMs,
      )
      const again = setInterval(() => socket.send(sane, port, host), 200)
      const listen = (message: Buffer) => {
        if (!isTrue(message)) return
        clearTimeout(timer)
        clearInterval(again)
        socket.off('message', listen)
        resolve()
      }
      socket.on('message', listen)
    })
    socket.send(sane, port, host)
    await answer
  }
  socket.close()
}

const sendStream = async (random: Random, port: number, messages: number): Promise<void> => {
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

/** Sends so many malformed messages to both name servers, four fifths over UDP. */
export const sendPackets = async (random: Random, at: SandboxDescription, amount: number): Promise<void> => {
  const perServer = amount / at.nameServers.length
  for (const server of at.nameServers) {
    await sendDatagrams(random, server, perServer * 0.8)
    for (let sent = 0; sent < perServer * 0.2; sent += 200) {
      await Promise.all(Array.from({ length: 20 }, () => sendStream(random, server.port, 10)))
    }
  }
}
