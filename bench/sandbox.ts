import { type ChildProcess, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { encode } from 'dns-packet'
import { show, table } from './figures.ts'
import type { Room } from './room.ts'
import { listingTimes } from './sandbox-listing.ts'
import type { Part } from './sandbox-process.ts'

const recordsInZone = 100_000
const indexedCalls = 20_000
const scanningCalls = 100
const queries = 100_000
/** Queries in flight: enough to keep the server busy, few enough that the socket drops none. */
const inFlight = 64
const defaultRounds = 3

function start(part: Part): ChildProcess {
  const script = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url))
  return fork(script, [part, String(recordsInZone)], { execArgv: ['--expose-gc'] })
}

async function cpuMicrosOf(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message')
  child.send('cpu')
  return ((await answer) as [{ cpuMicros: number }])[0].cpuMicros
}

/** Queries a server over UDP for `amount` names, never the same twice in a row, and resolves when all are answered. */
const query = (port: number, amount: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    let sent = 0
    let answered = 0
    function next() {
      const name = `host-${(sent * 7919) % recordsInZone}.example.com`
      sent += 1
      socket.send(
        encode({ type: 'query', id: sent & 0xffff, questions: [{ name, type: 'A' }] }),
        port,
        '127.0.0.1',
      )
    }
    const timer = setTimeout(
      () => reject(new Error(`${answered} of ${amount} queries were answered.`)),
      60_000,
    )
    socket.on('message', message => {
      if (message.readUInt16BE(6) !== 1) reject(new Error('An answer has no record.'))
      answered += 1
      if (sent < amount) next()
      else if (answered === amount) {
        clearTimeout(timer)
        socket.close()
        resolve()
      }
    })
    for (let first = 0; first < inFlight; first += 1) next()
  })

/** Returns answers per second of the server's CPU time, user and system, one figure per run. */
async function answersPerCpuSecond(part: Part, rounds: number): Promise<number[]> {
  const child = start(part)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  await query(port, queries / 4)
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = await cpuMicrosOf(child)
    await query(port, queries)
    rates.push(queries / ((await cpuMicrosOf(child)) - before) / 1e-6)
  }
  child.disconnect()
  return rates
}

async function bytesPerRecord(): Promise<number> {
  const child = start('memory')
  const [{ bytes, records }] = (await once(child, 'message')) as [{ bytes: number; records: number }]
  return bytes / records
}

const micros = (number: number): string => `${show(number, number < 100 ? 1 : 0)} µs`

const range = (rates: readonly number[]): string =>
  `${show(Math.min(...rates))} to ${show(Math.max(...rates))}`

export const sandbox: Room = {
  options: ['rounds'],

  help: `Usage: npm run bench -- sandbox [--rounds N]

Measures how fast the DNS service's emulator lists records and its name server answers, and how much memory a record
takes. The name server and the one it is compared with run N rounds each (${defaultRounds} by default).
`,

  async measure({ rounds = defaultRounds }, progress) {
    progress('listings')
    const { indexed, scanning } = await listingTimes({ recordsInZone, indexedCalls, scanningCalls })
    progress(`name server, ${rounds} rounds`)
    const served = await answersPerCpuSecond('name-server', rounds)
    progress(`dns2, ${rounds} rounds`)
    const byLibrary = await answersPerCpuSecond('dns2', rounds)
    progress('memory')
    const bytes = await bytesPerRecord()
    return table(
      ['what', 'measured'],
      [
        `list by name in a zone of ${show(recordsInZone)} records: handler time, ${show(indexedCalls)} calls`,
        `median ${micros(indexed.median)}, 99th percentile ${micros(indexed.slowest)}, CPU ${micros(indexed.cpu)}`,
      ],
      [
        `the same listing by a scan (\`match=any\`, which has no index), ${scanningCalls} calls`,
        `median ${micros(scanning.median)}, CPU ${micros(scanning.cpu)}: ${show(scanning.cpu / indexed.cpu)} times the index`,
      ],
      [
        `name server: answers over UDP per second of server CPU, ${rounds} runs of ${show(queries)}`,
        range(served),
      ],
      ['for comparison: a dns2 server that looks names up in a map, same queries', range(byLibrary)],
      [`memory per record: heap after a collection, zone of ${show(recordsInZone)}`, `${show(bytes)} bytes`],
    )
  },
}
