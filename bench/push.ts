import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPassword, hashPassword } from '../push/passwords.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { root } from '../tools/bundle.ts'
import { bundlePushWorker, pushWorkerBundle } from '../tools/push.ts'
import { type Measure, median, missedGoal, show, spread, table } from './figures.ts'

const defaultRounds = 5
const pings = 150
const warmUpPings = 20
const driver = join(root, 'bench/push-driver.ts')
const plainWorker = join(root, 'bench/push-plain-worker.ts')
const password = createPassword()

/**
 * What the address does, how many names take turns, and at most which part of the plain Worker's time a ping may take. With one
 * name, all but the first ping find the address unchanged; with one a ping, none does.
 */
const contests = [
  ['same address', 1, 0.8],
  ['another address every time', pings + warmUpPings, 3.5],
] as const

/**
 * Runs one round in a process of its own, on a fresh sandbox.
 * @returns what each ping took: milliseconds of processor time, requests, and those that write
 */
async function run(file: string, names: number) {
  await using open = new AsyncDisposableStack()
  const { description, control } = open.adopt(await startSandbox(), of => of.close())
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
  const args = [driver, file, ...[warmUpPings, pings, names].map(String)]
  const options = { env: { BINDINGS: JSON.stringify(bindings) } }
  const { stdout } = await promisify(execFile)(process.execPath, args, options)
  const sent = control.journal().filter(({ service }) => service === 'cloudflare')
  const each = (count: number) => count / (pings + warmUpPings)
  const writes = sent.filter(({ method }) => method !== 'GET').length
  return { cost: Number(stdout), requests: each(sent.length), writes: each(writes) }
}

type Round = Awaited<ReturnType<typeof run>>

/** Measures what a ping costs the built Worker, in Node and against the sandbox. */
export const measurePush: Measure = async ({ rounds = defaultRounds }, progress) => {
  await bundlePushWorker()
  const rows: string[][] = []
  const missed: string[] = []
  for (const [name, names, goal] of contests) {
    const both = [plainWorker, pushWorkerBundle].map(file => ({ file, done: [] as Round[] }))
    for (let at = 1; at <= rounds; at += 1) {
      progress(`${name}, round ${at} of ${rounds}`)
      for (const { file, done } of at % 2 === 0 ? both.toReversed() : both) done.push(await run(file, names))
    }
    const [theirs = [], ours = []] = both.map(({ done }) => done.map(({ cost }) => cost))
    const ratio = median(ours) / median(theirs)
    missed.push(...missedGoal(name, ratio, goal))
    const count = (of: 'requests' | 'writes') =>
      both.map(({ done }) => show(done[0]?.[of] ?? 0, 2)).join(' and ')
    const costs = [spread(theirs, 'ms', 2), spread(ours, 'ms', 2)]
    rows.push([name, ...costs, show(ratio, 2), `${goal}`, count('requests'), count('writes')])
  }
  const head = ['processor time per ping', 'plain Worker', 'Homeport', 'ratio', 'goal', 'requests', 'writes']
  return { figures: table(head, ...rows), missed }
}
