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
const answersAsked = 100_000
/** So many questions are on their way at once: enough that the server never waits, few enough that none is lost. */
const outstanding = 64
const repetitions = 3

const start = (part: Part): ChildProcess => {
  const script = fileURLToPath(new URL('./sandbox-process.ts', import.meta.url))
  return fork(script, [part, String(recordsInZone)], { execArgv: ['--expose-gc'] })
}

const cpuMicrosOf = async (child: ChildProcess): Promise<number> => {
  const answer = once(child, 'message')
  child.send('cpu')
  return ((await answer) as [{ cpuMicros: number }])[0].cpuMicros
}

/** Asks a server over UDP for so many names, never the same twice in a row, and resolves when all are answered. */
const ask = (port: number, amount: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    let sent = 0
    let answered = 0
    const next = () => {
      const name = `host-${(sent * 7919) % recordsInZone}.example.com`
      sent += 1
      socket.send(
        encode({ type: 'query', id: sent & 0xffff, questions: [{ name, type: 'A' }] }),
        port,
        '127.0.0.1',
      )
    }
    const timer = setInterval(
      () => reject(new Error(`${answered} of ${amount} questions were answered.`)),
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
    for (let first = 0; first < outstanding; first += 1) next()
  })

/** Answers a second of the server process's CPU time, user and system together. */
const answersPerCpuSecond = async (part: Part): Promise<number[]> => {
  const child = start(part)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  await ask(port, answersAsked / 4)
  const rates: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const before = await cpuMicrosOf(child)
    await ask(port, answersAsked)
    rates.push(answersAsked / ((await cpuMicrosOf(child)) - before) / 1e-6)
  }
  child.disconnect()
  return rates
}

const bytesPerRecord = async (): Promise<number> => {
  const child = start('memory')
  const [{ bytes, records }] = (await once(child, 'message')) as [{ bytes: number; records: number }]
  return bytes / records
}

const round = (number: number): string => Math.round(number).toLocaleString('en')
const micros = (number: number): string => `${number < 100 ? number.toFixed(1) : round(number)} µs`

const spread = (rates: readonly number[]): string =>
  `${round(Math.min(...rates))} to ${round(Math.max(...rates))}`

/**
 * Measures the sandbox and prints a section of docs/benchmarks.md.
 * @returns the exit status
 */
export const run = async (args: string[]): Promise<number> => {
  if (args.length > 0) {
    process.stderr.write('npm run bench -- sandbox takes no arguments.\n')
    return 2
  }
  const listing = await listingTimes({ recordsInZone, indexedCalls, scanningCalls })
  const served = await answersPerCpuSecond('name-server')
  const byLibrary = await answersPerCpuSecond('dns2')
  const bytes = await bytesPerRecord()
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.version}`
  process.stdout.write(`## Sandbox

Measured on ${machine}, ${process.platform}, on ${new Date().toISOString().slice(0, 10)}. Repeat with \`npm run bench -- sandbox\`.

| what | measured |
| - | - |
| list by name in a zone of ${round(recordsInZone)} records, handler time, ${round(indexedCalls)} calls | median ${micros(listing.indexed.median)}, 99th percentile ${micros(listing.indexed.slowest)}, CPU ${micros(listing.indexed.cpu)} |
| the same listing by a scan (\`match=any\`, which no index serves), ${scanningCalls} calls | median ${micros(listing.scanning.median)}, CPU ${micros(listing.scanning.cpu)}: ${round(listing.scanning.cpu / listing.indexed.cpu)} times that of the index |
| name server, answers over UDP a second of server CPU, ${repetitions} runs of ${round(answersAsked)} | ${spread(served)} |
| beside it a server written with dns2 that looks a name up in a map and does nothing else, same questions | ${spread(byLibrary)} |
| memory a record, heap behind a collection, zone of ${round(recordsInZone)} | ${round(bytes)} bytes |
`)
  return 0
}
