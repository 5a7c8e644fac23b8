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
import { median, show, spread, table } from './figures.ts'
import type { Room } from './room.ts'

const defaultRounds = 5
const pings = 150
const driver = join(root, 'bench/push-driver.ts')
const password = createPassword()

/** What one ping cost, in milliseconds. */
interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
}

/** A Worker, and what its rounds measured. */
interface Contender {
  readonly name: string
  readonly file: string
  readonly addresses: readonly string[]
  readonly costs: Cost[]
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
    const sent = pings + 20
    contender.requests = journal.length / sent
    contender.writes = journal.filter(({ method }) => method !== 'GET').length / sent
  } finally {
    await sandbox.close()
  }
}

async function drive({ file, addresses }: Contender, { description }: Sandbox): Promise<Cost> {
  const { dnsToken, zoneId, baseUrl } = description.cloudflare
  const bindings = {
    API_TOKEN: dnsToken,
    ZONE_ID: zoneId,
    BASE_URL: baseUrl,
    HOSTS: `home.example.com A sha256:${await hashPassword(password)}`,
    PASSWORD: password,
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [driver, file, String(pings), ...addresses],
    { env: { BINDINGS: JSON.stringify(bindings) } },
  )
  return JSON.parse(stdout)
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

export const push: Room = {
  options: ['rounds'],

  help: `Usage: npm run bench -- push [--rounds N]

Measures what a ping costs the built Worker, in Node and against the emulator, beside a plain Worker that writes at every ping
(bench/push-plain-worker.ts): the median of N rounds (${defaultRounds} by default) of ${pings} pings each, in turn.
`,

  async measure({ rounds = defaultRounds }, progress) {
    const folder = await mkdtemp(join(tmpdir(), 'homeport-bench-'))
    try {
      const [ours, plain] = [join(folder, 'push-worker.mjs'), join(folder, 'plain-worker.mjs')]
      await bundlePushWorker(ours)
      await bundlePlainWorker(plain)
      const one = ['8.8.4.4']
      const two = ['8.8.4.4', '9.9.9.9']
      const contender = (name: string, file: string, addresses: readonly string[]): Contender => ({
        name,
        file,
        addresses,
        costs: [],
        requests: 0,
        writes: 0,
      })
      const contenders = [
        contender('plain Worker, same address', plain, one),
        contender('Homeport, same address', ours, one),
        contender('plain Worker, address changes every time', plain, two),
        contender('Homeport, address changes every time', ours, two),
      ]
      for (let at = 1; at <= rounds; at += 1) {
        progress(`round ${at} of ${rounds}`)
        for (const each of at % 2 === 0 ? contenders.toReversed() : contenders) await round(each)
      }
      const rows = contenders.map(({ name, costs, requests, writes }, index) => {
        const base = contenders[index - (index % 2)]?.costs ?? []
        const cells = (['wallMs', 'cpuMs'] as const).flatMap(unit => {
          const values = costs.map(cost => cost[unit])
          const ratio = median(values) / median(base.map(cost => cost[unit]))
          return [spread(values, 'ms', 2), index % 2 === 0 ? '' : show(ratio, 2)]
        })
        return [name, ...cells, show(requests, 2), show(writes, 2)]
      })
      const head = [
        'what',
        'wall time per ping',
        'ratio',
        'processor time per ping',
        'ratio',
        'requests',
        'writes',
      ]
      const [ourBytes, plainBytes] = await Promise.all([ours, plain].map(gzippedBytes))
      return [
        table(head, ...rows),
        '',
        `Size of the Worker, gzip -9: ${show(ourBytes ?? 0)} bytes; of the plain one ${show(plainBytes ?? 0)} bytes.`,
      ].join('\n')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function gzippedBytes(file: string): Promise<number> {
  return gzipSync(await readFile(file), { level: 9 }).length
}
