import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { startRelay } from '../test/support/relay.ts'
import { root } from '../tools/bundle.ts'

const help = `Usage: npm run bench -- action [--rounds N] [--favonia PATH]

Measures the shipped bundle of the action:
- a refused input, beside a script that only imports node:https
- 100 changed names through relays that add 50 ms to each round trip, over http and https
- an unchanged record over https at 50 ms, beside favonia/cloudflare-ddns. Needs Linux and root: both run in network and
  mount namespaces, where a hosts file leads api.cloudflare.com and the echoes to the sandbox
Figures are medians of N rounds (15 by default; 5 for the 100 names). Programs that are compared take turns.

favonia/cloudflare-ddns has no setting for the address of the API. Build it with
  go install github.com/favonia/cloudflare-ddns/cmd/ddns@v1.17.0
and pass its path. Without it, only the action is measured.
`

const bundle = join(root, 'action/dist/index.js')
const roundTripMs = 50
const names = 100
const manyRounds = 5
const defaultRounds = 15
const [before, after] = ['192.0.2.10', '203.0.113.10']
/** Set in the namespaces, where the second part of the benchmark runs. */
const namespaceVariable = 'HOMEPORT_BENCH_NAMESPACE'
const hosts = [
  'localhost',
  'api.cloudflare.com',
  'api4.ipify.org',
  'checkip.amazonaws.com',
  'ipv4.icanhazip.com',
]

const say = (text: string) => void process.stdout.write(`${text}\n`)

type Environment = Readonly<Record<string, string>>

/** What one process took. Processor time and memory are null for a program that does not run on Node. */
interface Run {
  readonly wallMs: number
  readonly cpuMs: number | null
  readonly peakMebibytes: number | null
  readonly output: string
}

/** Runs the benchmark. Returns the exit status. */
export async function run(args: readonly string[]): Promise<number> {
  const options = {
    rounds: { type: 'string' },
    favonia: { type: 'string' },
    help: { type: 'boolean' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) {
    say(help)
    return 0
  }
  const rounds = Number(values.rounds ?? defaultRounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds is a whole number from 1.')
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
  try {
    if (process.env[namespaceVariable]) {
      await measureUnchanged(folder, rounds, values.favonia)
      return 0
    }
    say(`${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`)
    say(`Load average before: ${loadavg()[0]?.toFixed(1)}`)
    say(`Bundle: ${(await stat(bundle)).size} bytes`)
    await measureRefusal(folder, rounds)
    await measureManyNames(folder)
    if (process.platform === 'linux' && process.getuid?.() === 0) await inNamespaces(args)
    else say('Unchanged record: not measured, because namespaces need Linux and root.')
    say(`Load average after: ${loadavg()[0]?.toFixed(1)}`)
    return 0
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Compares a refused input with the floor of every program that can speak HTTPS. */
async function measureRefusal(folder: string, rounds: number): Promise<void> {
  const script = join(folder, 'https.mjs')
  await writeFile(script, "import 'node:https'\n")
  const environment = await stepEnvironment(folder, { 'api-token': 'x'.repeat(40), ttl: 'soon' })
  const [floor = [], refused = []] = await takeTurns(rounds, [
    () => runNode(folder, script, environment, 0),
    () => runNode(folder, bundle, environment, 1),
  ])
  for (const [what, of] of [
    ['wall time, ms', ({ wallMs }: Run) => wallMs],
    ['processor time, ms', ({ cpuMs }: Run) => cpuMs ?? Number.NaN],
    ['peak memory, MiB', ({ peakMebibytes }: Run) => peakMebibytes ?? Number.NaN],
  ] as const) {
    const [least, ours] = [median(floor.map(of)), median(refused.map(of))]
    say(
      `Refused input, ${what}: ${ours.toFixed(1)}, node:https alone ${least.toFixed(1)}, ratio ${(ours / least).toFixed(2)}`,
    )
  }
}

/** Changes many names through relays, and counts what arrives. */
async function measureManyNames(folder: string): Promise<void> {
  const sandbox = await startSandbox()
  const { cloudflare, https, echo } = sandbox.description
  const relays = await Promise.all(
    [cloudflare.baseUrl, `http://${https.host}:${https.port}`, ...echo].map(url =>
      startRelay(url, roundTripMs),
    ),
  )
  const [http, secure, ...echoes] = relays.map(({ baseUrl }) => baseUrl)
  try {
    const hostnames = Array.from({ length: names }, (_, index) => `host-${index}.example.com`)
    const ca = await writeAuthority(folder, sandbox)
    for (const [scheme, baseUrl] of [
      ['http', http],
      ['https', `https://localhost:${new URL(secure ?? '').port}`],
    ] as const) {
      const environment = await stepEnvironment(folder, {
        'api-token': cloudflare.dnsToken,
        'zone-id': cloudflare.zoneId,
        hostname: hostnames.join('\n'),
        'base-url': baseUrl ?? '',
        'address-sources': echoes.join('\n'),
        'allow-reserved-address': 'true',
      })
      const runs: Run[] = []
      let requests: readonly string[] = []
      for (let round = 0; round < manyRounds; round += 1) {
        setRecords(sandbox, hostnames, before)
        runs.push(await runNode(folder, bundle, { ...environment, NODE_EXTRA_CA_CERTS: ca }, 0))
        requests = requestsTo(sandbox, 'cloudflare')
        const left = sandboxRecords(sandbox).filter(({ content }) => content !== after).length
        if (left > 0) throw new Error(`${left} of ${names} records were not changed.`)
      }
      const reads = requests.filter(method => method === 'GET').length
      const seconds = runs.map(({ wallMs }) => wallMs / 1000)
      say(
        `${names} changed names over ${scheme} at ${roundTripMs} ms: ${spread(seconds, 2)} s, ` +
          `${requests.length} requests to the service (${reads} GET)`,
      )
    }
  } finally {
    await Promise.all(relays.map(relay => relay.close()))
    await sandbox.close()
  }
}

/** Runs this benchmark again where the real hosts are the sandbox, and nothing else can be reached. */
async function inNamespaces(args: readonly string[]): Promise<void> {
  const command = ['--net', '--mount', process.execPath, join(root, 'bench/bench.ts'), 'action', ...args]
  const env = { ...process.env, [namespaceVariable]: 'yes' }
  const child = spawn('unshare', command, { stdio: 'inherit', env })
  const status = await new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('close', resolve)
  })
  if (status !== 0) say(`Unchanged record: not measured, because unshare ended with ${status}.`)
}

/** Checks one record that is right, with both programs in turn. Runs inside the namespaces. */
async function measureUnchanged(folder: string, rounds: number, favonia: string | undefined): Promise<void> {
  await promisify(execFile)('ip', ['link', 'set', 'lo', 'up'])
  await writeFile(join(folder, 'hosts'), hosts.map(host => `127.0.0.1 ${host}\n`).join(''))
  await promisify(execFile)('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts'])
  const sandbox = await startSandbox()
  const { cloudflare, https } = sandbox.description
  const relay = await startRelay(`http://${https.host}:${https.port}`, roundTripMs, 443)
  try {
    setRecords(sandbox, ['home.example.com'], after)
    const ca = await writeAuthority(folder, sandbox)
    const environment = await stepEnvironment(folder, {
      'api-token': cloudflare.dnsToken,
      'zone-id': cloudflare.zoneId,
      hostname: 'home.example.com',
      'allow-reserved-address': 'true',
    })
    const ours = async () => {
      const done = await runNode(folder, bundle, { ...environment, NODE_EXTRA_CA_CERTS: ca }, 0)
      return { ...done, requests: requestsTo(sandbox, 'cloudflare') }
    }
    const theirs = async () => {
      const env = {
        CLOUDFLARE_API_TOKEN: cloudflare.adminToken,
        IP4_DOMAINS: 'home.example.com',
        IP4_PROVIDER: 'url:https://api4.ipify.org/',
        IP6_PROVIDER: 'none',
        TTL: '120',
        UPDATE_CRON: '@once',
        EMOJI: 'false',
        SSL_CERT_FILE: ca,
      }
      const done = await runProcess(favonia ?? '', [], env, 0)
      return { ...done, requests: requestsTo(sandbox, 'cloudflare') }
    }
    const runs = await takeTurns(rounds, favonia === undefined ? [ours] : [ours, theirs])
    for (const [index, name] of ['Homeport', 'favonia/cloudflare-ddns'].entries()) {
      const of = runs[index]
      if (!of) continue
      const [last] = of.slice(-1)
      const methods = last?.requests.join(' ')
      const times = of.map(({ wallMs }) => wallMs)
      say(
        `Unchanged record over https at ${roundTripMs} ms, ${name}: ${spread(times, 0)} ms; service: ${methods}`,
      )
    }
    const [first, second] = runs.map(of => median(of.map(({ wallMs }) => wallMs)))
    if (first && second) say(`Unchanged record, ratio: ${(first / second).toFixed(2)}`)
    else say('favonia/cloudflare-ddns was not measured: pass --favonia PATH.')
  } finally {
    await relay.close()
    await sandbox.close()
  }
}

/** Runs each of the programs once a round, in turn, after one run of each that does not count. */
async function takeTurns<Done>(
  rounds: number,
  programs: readonly (() => Promise<Done>)[],
): Promise<readonly (readonly Done[])[]> {
  const runs = programs.map((): Done[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, program] of programs.entries()) {
      const done = await program()
      if (round > 0) runs[index]?.push(done)
    }
  }
  return runs
}

/** Runs a script in Node, which reports what it used just before it ends. */
async function runNode(
  folder: string,
  script: string,
  environment: Environment,
  status: number,
): Promise<Run> {
  const reporter = join(folder, 'report.cjs')
  const usageFile = join(folder, 'usage.json')
  await writeFile(
    reporter,
    `const { writeFileSync } = require('node:fs')
     process.on('exit', () => writeFileSync(${JSON.stringify(usageFile)}, JSON.stringify(process.resourceUsage())))`,
  )
  const done = await runProcess(process.execPath, ['--require', reporter, script], environment, status)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(await readFile(usageFile, 'utf8'))
  return { ...done, cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMebibytes: maxRSS / 1024 }
}

/** Runs a program to its end. Throws if it ends with another status. */
function runProcess(file: string, args: readonly string[], env: Environment, expected: number): Promise<Run> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now()
    const child = spawn(file, args, { env })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', status => {
      const wallMs = performance.now() - startMs
      if (status === expected) resolve({ wallMs, cpuMs: null, peakMebibytes: null, output })
      else reject(new Error(`${file} ended with ${status}:\n${output}`))
    })
  })
}

/** Returns the environment of a step on a self-hosted runner with these inputs. */
async function stepEnvironment(folder: string, inputs: Environment): Promise<Environment> {
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') }
  for (const file of Object.values(files)) await writeFile(file, '')
  const given = Object.entries(inputs).map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text])
  return {
    PATH: process.env['PATH'] ?? '',
    GITHUB_ACTIONS: 'true',
    RUNNER_ENVIRONMENT: 'self-hosted',
    ...files,
    ...Object.fromEntries(given),
  }
}

function setRecords(sandbox: Sandbox, hostnames: readonly string[], content: string): void {
  const records = hostnames.map(name => ({ type: 'A', name, content, ttl: 120 }))
  sandbox.control.setState({ records: { [sandbox.description.cloudflare.zoneId]: records } })
}

function sandboxRecords(sandbox: Sandbox): readonly { readonly content: string }[] {
  const { records } = sandbox.control.state() as Record<string, Record<string, { content: string }[]>>
  return records?.[sandbox.description.cloudflare.zoneId] ?? []
}

/** Returns the methods of the requests to a service since it was last asked for. */
function requestsTo({ control }: Sandbox, service: string): readonly string[] {
  const entries = control.journal().filter(entry => entry.service === service)
  control.clearJournal()
  return entries.map(({ method }) => method)
}

async function writeAuthority(folder: string, { description }: Sandbox): Promise<string> {
  const file = join(folder, 'ca.pem')
  await writeFile(file, description.ca)
  return file
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}

/** Shows a median with its range. */
function spread(values: readonly number[], digits: number): string {
  const range = [Math.min(...values), Math.max(...values)].map(value => value.toFixed(digits))
  return `${median(values).toFixed(digits)} (${range.join(' to ')})`
}
