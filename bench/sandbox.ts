import { type ChildProcess, fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { encode } from 'dns-packet'
import { listingTimes } from './sandbox-listing.ts'
import type { Part } from './sandbox-process.ts'

const recordsInZone = 100_000
const indexedCalls = 20_000
const scanningCalls = 100
const queries = 100_000
/** Queries in flight: enough to keep the server busy, few enough that the socket drops none. */
const inFlight = 64
const repetitions = 3

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
    const timer = setInterval(
      () => reject(new Error(`${answered} of ${amount} queries were answered.`)),
      60_000,
    )
    socket.on('message', message => {
      if (message.readUInt16BE(6) !== 1) reject(new Error('An answer has no record.'))
      answered += 1
      if (sent < amount) next()
      else if (answered === amount) {
        clearInterval(timer)
        socket.close()
        resolve()
      }
    })
    for (let first = 0; first < inFlight; first += 1) next()
  })

/** Returns answers per second of the server's CPU time, user and system, one figure per run. */
async function answersPerCpuSecond(part: Part): Promise<number[]> {
  const child = start(part)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  await query(port, queries / 4)
  const rates: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
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

const round = (number: number): string => Math.round(number).toLocaleString('en')
const micros = (number: number): string => `${number < 100 ? number.toFixed(1) : round(number)} µs`

const spread = (rates: readonly number[]): string =>
  `${round(Math.min(...rates))} to ${round(Math.max(...rates))}`

const usage = `Usage: npm run bench -- sandbox

Measures how fast the DNS service's emulator lists records and its name server answers, and how much memory a record
takes. Takes no options.
`

/** Runs the benchmark and returns its exit status. */
export async function run(args: string[]): Promise<number> {
  if (args.length > 0) {
    const isHelp = args[0] === '--help'
    const stream = isHelp ? process.stdout : process.stderr
    stream.write(usage)
    return isHelp ? 0 : 2
  }
  const listing = await listingTimes({ recordsInZone, indexedCalls, scanningCalls })
  const served = await answersPerCpuSecond('name-server')
  const byLibrary = await answersPerCpuSecond('dns2')
  const bytes = await bytesPerRecord()
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`
  process.stdout.write(`## Sandbox

Measured on ${new Date().toISOString().slice(0, 10)} on ${machine}, ${process.platform}. To repeat: \`npm run bench -- sandbox\`.

| what | measured |
| - | - |
| list by name in a zone of ${round(recordsInZone)} records: handler time, ${round(indexedCalls)} calls | median ${micros(listing.indexed.median)}, 99th percentile ${micros(listing.indexed.slowest)}, CPU ${micros(listing.indexed.cpu)} |
| the same listing by a scan (\`match=any\`, which has no index), ${scanningCalls} calls | median ${micros(listing.scanning.median)}, CPU ${micros(listing.scanning.cpu)}: ${round(listing.scanning.cpu / listing.indexed.cpu)} times the index |
| name server: answers over UDP per second of server CPU, ${repetitions} runs of ${round(queries)} | ${spread(served)} |
| for comparison: a dns2 server that looks names up in a map, same queries | ${spread(byLibrary)} |
| memory per record: heap after a collection, zone of ${round(recordsInZone)} | ${round(bytes)} bytes |
`)
  return 0
}
