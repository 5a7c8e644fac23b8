import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import pg from 'pg'
import { runEmployeesCommand } from '../src/employees/cli.ts'
import { createSessionKey } from '../src/session/keys.ts'
import { nodeCryptography } from '../src/session/node-cryptography.ts'
import { createSession, readSession, sessionRules } from '../src/session/session.ts'
import { root } from '../tools/bundle.ts'
import { freePort } from '../tools/free-port.ts'
import { startHandler } from '../tools/handler.ts'
import { startPostgres } from '../tools/postgres.ts'
import { bundleWorker, workerBundle } from '../tools/worker.ts'
import { drive } from './sign-in-driver.ts'
import { startStubProvider } from './sign-in-provider.ts'

const help = `Usage: npm run bench -- sign-in [--rounds N] [--seconds N] [--only session]

Signs people in as fast as one core can: the handler on Node with PostgreSQL, and beside it msal-node with one shared
client on express, on the same provider over TLS and the same store, in turns. Then what opening a session costs, and
what the Worker weighs. Needs openssl; with taskset the application gets core 0 and everything else core 1.
`

/** Concurrent connections. */
const connections = 16

/** People who take turns to sign in, out of all in the store. */
const people = 200
const employees = 20_000

const say = (text: string) => void process.stdout.write(`${text}\n`)

/** Runs the benchmark. Returns the exit status. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const [rounds, seconds] = [Number(values.rounds ?? 7), Number(values.seconds ?? 5)]
  const pinned = cpus().length > 1 && (await pin(process.pid, '1'))
  say(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}, ${process.platform} ${process.arch}`,
  )
  say(
    pinned
      ? 'Application on core 0; driver, provider and PostgreSQL on core 1.'
      : 'Nothing is pinned to a core.',
  )
  say(`Load average before: ${loadavg()[0]?.toFixed(1)}`)
  if (values.only !== 'session') await measureSignIns(rounds, seconds, pinned ? '0' : undefined)
  await measureOpening()
  await bundleWorker()
  const bytes = gzipSync(await readFile(workerBundle), { level: 9 }).length
  say(`Worker with D1, gzip: ${bytes} bytes (${(bytes / 1024).toFixed(1)} KiB)`)
  return 0
}

async function pin(pid: number, cores: string): Promise<boolean> {
  const taskset = spawn('taskset', ['-cp', cores, String(pid)], { stdio: 'ignore' })
  return new Promise(resolve => {
    taskset.once('error', () => resolve(false))
    taskset.once('exit', status => resolve(status === 0))
  })
}

async function measureSignIns(rounds: number, seconds: number, cores: string | undefined): Promise<void> {
  const provider = await startStubProvider()
  const postgres = await startPostgres()
  try {
    const databaseUrl = await postgres.createDatabase('people')
    await fill(databaseUrl)
    const contenders = await Promise.all([
      startOurs(provider, databaseUrl, cores),
      startMsal(provider, databaseUrl, cores),
    ])
    for (const { name, origin } of contenders) {
      const warm = await drive(origin, connections, people, 2000)
      if (warm.failed > 0)
        throw new Error(`${name}: ${warm.failed} sign-ins failed, the first with ${warm.firstFailure}`)
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const contender of round % 2 === 0 ? contenders : [...contenders].reverse()) {
        const [before, coresBefore] = [await cpuMs(contender.pid), await busyMs()]
        const { signIns, failed, elapsedMs } = await drive(
          contender.origin,
          connections,
          people,
          seconds * 1000,
        )
        if (failed > 0) throw new Error(`${contender.name}: ${failed} sign-ins failed`)
        contender.rates.push((signIns / elapsedMs) * 1000)
        contender.costs.push(((await cpuMs(contender.pid)) - before) / signIns)
        const coresAfter = await busyMs()
        contender.busy.push(coresAfter.map((busy, core) => (busy - (coresBefore[core] ?? 0)) / elapsedMs))
      }
    }
    for (const { name, rates, costs, busy } of contenders) {
      const sorted = [...rates].sort((a, b) => a - b).map(rate => rate.toFixed(0))
      say(`${name}: median ${median(rates).toFixed(0)} sign-ins per second (rounds: ${sorted.join(' ')})`)
      say(`  processor time of its process: median ${median(costs).toFixed(2)} ms per sign-in`)
      const shares = (busy[0] ?? []).map((_, core) => median(busy.map(round => round[core] ?? Number.NaN)))
      say(`  cores busy: ${shares.map((share, core) => `${core}: ${(share * 100).toFixed(0)} %`).join(', ')}`)
    }
    const [rates = [], costs = []] = [
      contenders.map(({ rates }) => median(rates)),
      contenders.map(({ costs }) => median(costs)),
    ]
    say(
      `Ratio of the medians: ${((rates[0] ?? 0) / (rates[1] ?? 1)).toFixed(2)} by rate, ${((costs[1] ?? 0) / (costs[0] ?? 1)).toFixed(2)} by processor time`,
    )
    for (const { stop } of contenders) await stop()
  } finally {
    await postgres.close()
    await provider.close()
  }
}

interface Contender {
  readonly name: string
  readonly origin: string
  readonly pid: number
  /** Sign-ins per second of each round. */
  readonly rates: number[]
  /** Milliseconds of processor time per sign-in of each round. */
  readonly costs: number[]
  /** Share of each round for which each core was busy. */
  readonly busy: number[][]
  stop(): Promise<unknown>
}

type Provider = Awaited<ReturnType<typeof startStubProvider>>

async function startOurs(
  provider: Provider,
  databaseUrl: string,
  cores: string | undefined,
): Promise<Contender> {
  const port = await freePort()
  const handler = await startHandler({
    env: {
      TENANT_ID: provider.tenantId,
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
      INSTANCE: provider.origin,
      GRAPH_URL: provider.origin,
      REDIRECT_URI: `http://localhost:${port}/auth/callback`,
      REQUIRE_STATE: 'true',
      SESSION_KEYS: createSessionKey(new Date()),
      ALLOWED_DOMAINS: 'example.com',
      DATABASE_URL: databaseUrl,
      NODE_EXTRA_CA_CERTS: provider.certificateFile,
      PORT: String(port),
    },
    ...(cores === undefined ? {} : { cores }),
  })
  return {
    name: 'Homeport on Node',
    origin: `http://127.0.0.1:${port}`,
    pid: handler.process.pid ?? 0,
    rates: [],
    costs: [],
    busy: [],
    stop: () => handler.stop(),
  }
}

async function startMsal(
  provider: Provider,
  databaseUrl: string,
  cores: string | undefined,
): Promise<Contender> {
  const port = await freePort()
  const command = [process.execPath, join(root, 'bench/sign-in-msal.ts')]
  const [program = '', ...args] = cores === undefined ? command : ['taskset', '-c', cores, ...command]
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: provider.certificateFile,
      PROVIDER: provider.origin,
      TENANT_ID: provider.tenantId,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return {
    name: 'msal-node, one shared client, on express',
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    rates: [],
    costs: [],
    busy: [],
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Fills an HR table of a large company, with an index for each contender and fresh statistics for the planner. */
async function fill(databaseUrl: string): Promise<void> {
  const problem = (text: string) => void process.stderr.write(`${text}\n`)
  const output = { line: () => undefined, problem, log: () => undefined }
  await runEmployeesCommand(['migrate'], { DATABASE_URL: databaseUrl }, output)
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    await client.query(
      "INSERT INTO employees (id, user_name) SELECT n::text, 'person' || n FROM generate_series(0, $1::int - 1) n",
      [employees],
    )
    await client.query('CREATE INDEX by_plain_name ON employees (user_name)')
    await client.query('ANALYZE')
  } finally {
    await client.end()
  }
}

/** Returns how many milliseconds each core has been busy, by Linux's count; empty on other systems. */
async function busyMs(): Promise<readonly number[]> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(line => /^cpu\d/.test(line))
    .map(line => {
      const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = line
        .split(' ')
        .slice(1)
        .map(Number)
      return (user + nice + system + interrupts + softInterrupts) * 10
    })
}

/** Returns a process's processor time in milliseconds, by Linux's ticks of 10 ms; NaN on other systems. */
async function cpuMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/**
 * Measures how many microseconds it takes to decrypt one session cookie: the median of batches after a warm-up, by the
 * clock and by processor time, which other programs do not affect. Takes turns between Node's cryptography and WebCrypto,
 * which other services use.
 */
async function measureOpening(): Promise<void> {
  const keys = createSessionKey(new Date())
  const ways = [
    { name: 'with Node’s cryptography', rules: sessionRules(keys, 3_600_000, null, nodeCryptography) },
    { name: 'by WebCrypto on Node', rules: sessionRules(keys, 3_600_000) },
  ].map(way => ({ ...way, clock: [] as number[], processor: [] as number[] }))
  const batch = 2000
  for (let round = 0; round < 25; round += 1) {
    for (const { rules, clock, processor } of ways) {
      const { setCookie } = await createSession(rules, { username: 'alice', resourceId: '1001', isAdmin: 0 })
      const header = setCookie.split(';')[0] ?? ''
      const [started, used] = [performance.now(), process.cpuUsage()]
      for (let count = 0; count < batch; count += 1) {
        if (!(await readSession(rules, header))) throw new Error('the session did not open')
      }
      const { user, system } = process.cpuUsage(used)
      clock.push(((performance.now() - started) / batch) * 1000)
      processor.push((user + system) / batch)
    }
  }
  for (const { name, clock, processor } of ways) {
    const [byClock, byProcessor] = [median(clock.slice(5)), median(processor.slice(5))]
    say(
      `Decrypting a session ${name}: median ${byClock.toFixed(1)} µs, of which ${byProcessor.toFixed(1)} µs processor time`,
    )
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}
