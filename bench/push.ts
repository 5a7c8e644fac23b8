import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPassword, hashPassword } from '../push/passwords.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { root } from '../tools/bundle.ts'
import { bundlePushWorker, pushWorkerBundle } from '../tools/push.ts'
import { type Measure, median, show, spread, table } from './figures.ts'

const defaultRounds = 5
const pings = 150
const warmUpPings = 20
const driver = join(root, 'bench/push-driver.ts')
const plainWorker = join(root, 'bench/push-plain-worker.ts')
const password = createPassword()

/** Each Worker, and how many names take turns: with one, all but the first ping find the address unchanged; with one a ping, none does. */
const contenders = [
  ['plain Worker, same address', plainWorker, 1],
  ['Homeport, same address', pushWorkerBundle, 1],
  ['plain Worker, another address every time', plainWorker, pings + warmUpPings],
  ['Homeport, another address every time', pushWorkerBundle, pings + warmUpPings],
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

/** Measures what a ping costs the built Worker, in Node and against the sandbox. */
export const measurePush: Measure = async ({ rounds = defaultRounds }, progress) => {
  await bundlePushWorker()
  const results = contenders.map(([name, file, names]) => {
    const done: Awaited<ReturnType<typeof run>>[] = []
    return { name, file, names, done }
  })
  for (let at = 1; at <= rounds; at += 1) {
    progress(`round ${at} of ${rounds}`)
    for (const { file, names, done } of at % 2 === 0 ? results.toReversed() : results)
      done.push(await run(file, names))
  }
  const costsOf = (index: number) => results[index]?.done.map(({ cost }) => cost) ?? []
  const rows = results.map(({ name, done: [first] }, index) => [
    name,
    spread(costsOf(index), 'ms', 2),
    index % 2 === 0 ? '' : show(median(costsOf(index)) / median(costsOf(index - 1)), 2),
    show(first?.requests ?? 0, 2),
    show(first?.writes ?? 0, 2),
  ])
  return table(['what', 'processor time per ping', 'ratio', 'requests', 'writes'], ...rows)
}
