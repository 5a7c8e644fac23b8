import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createPassword, hashPassword } from '../push/passwords.ts'
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts'
import { root } from '../tools/bundle.ts'
import { bundlePushWorker } from '../tools/push.ts'
import { type Measure, median, show, spread, table } from './figures.ts'

const defaultRounds = 5
const pings = 150
const warmUpPings = 20
const driver = join(root, 'bench/push-driver.ts')
const password = createPassword()

/** A Worker, and what its rounds measured. */
interface Contender {
  readonly name: string
  readonly file: string
  /** How many names take turns: with one, all but the first ping find the address unchanged; with one a ping, none does. */
  readonly names: number
  /** Milliseconds of processor time for each ping, by round. */
  readonly costs: number[]
  /** Requests and writes of one round, warm-up included, for each ping. */
  requests: number
  writes: number
}

/** Runs one round in a process of its own, on a fresh sandbox. */
async function round(contender: Contender): Promise<void> {
  const sandbox = await startSandbox()
  try {
    contender.costs.push(await drive(contender, sandbox))
    const journal = sandbox.control.journal().filter(({ service }) => service === 'cloudflare')
    const sent = pings + warmUpPings
    contender.requests = journal.length / sent
    contender.writes = journal.filter(({ method }) => method !== 'GET').length / sent
  } finally {
    await sandbox.close()
  }
}

async function drive({ file, names }: Contender, { description, control }: Sandbox): Promise<number> {
  const { dnsToken, zoneId, baseUrl } = description.cloudflare
  const hostnames = Array.from({ length: names }, (_, index) => `host-${index}.example.com`)
  const records = hostnames.map(name => ({ type: 'A', name, content: '192.0.2.10', ttl: 120 }))
  control.setState({ records: { [zoneId]: records } })
  const hash = await hashPassword(password)
  const bindings = {
    API_TOKEN: dnsToken,
    ZONE_ID: zoneId,
    BASE_URL: baseUrl,
    HOSTS: hostnames.map(name => `${name} A sha256:${hash}`).join('\n'),
    PASSWORD: password,
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [driver, file, ...[warmUpPings, pings, names].map(String)],
    { env: { BINDINGS: JSON.stringify(bindings) } },
  )
  return Number(stdout)
}

/** Builds the plain Worker as ours is built. */
async function bundlePlainWorker(outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ['bench/push-plain-worker.ts'],
    bundle: true,
    outfile,
    format: 'esm',
    platform: 'neutral',
    target: 'esnext',
    minify: true,
    logLevel: 'silent',
  })
}

/** Measures what a ping costs the built Worker, in Node and against the sandbox. */
export const measurePush: Measure = async ({ rounds = defaultRounds }, progress) => {
  const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
  try {
    const [ours, plain] = [join(folder, 'push-worker.mjs'), join(folder, 'plain-worker.mjs')]
    await bundlePushWorker(ours)
    await bundlePlainWorker(plain)
    const contender = (name: string, file: string, names: number): Contender => ({
      name,
      file,
      names,
      costs: [],
      requests: 0,
      writes: 0,
    })
    const contenders = [
      contender('plain Worker, same address', plain, 1),
      contender('Homeport, same address', ours, 1),
      contender('plain Worker, another address every time', plain, pings + warmUpPings),
      contender('Homeport, another address every time', ours, pings + warmUpPings),
    ]
    for (let at = 1; at <= rounds; at += 1) {
      progress(`round ${at} of ${rounds}`)
      for (const each of at % 2 === 0 ? contenders.toReversed() : contenders) await round(each)
    }
    const rows = contenders.map(({ name, costs, requests, writes }, index) => {
      const base = contenders[index - (index % 2)]?.costs ?? []
      const ratio = median(costs) / median(base)
      return [
        name,
        spread(costs, 'ms', 2),
        index % 2 === 0 ? '' : show(ratio, 2),
        show(requests, 2),
        show(writes, 2),
      ]
    })
    const [ourBytes, plainBytes] = await Promise.all([ours, plain].map(gzippedBytes))
    return `${table(['what', 'processor time per ping', 'ratio', 'requests', 'writes'], ...rows)}

Size of the Worker, gzip -9: ${show(ourBytes ?? 0)} bytes; of the plain one ${show(plainBytes ?? 0)} bytes.`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function gzippedBytes(file: string): Promise<number> {
  return gzipSync(await readFile(file), { level: 9 }).length
}
