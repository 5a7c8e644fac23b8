import { randomBytes } from 'node:crypto'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { readArguments } from '../../tools/usage.ts'
import { runCommand } from '../support/command.ts'
import { askCloudflare } from '../support/services.ts'
import { after, after6, type GivenRecord, type Scenario, scenarios } from './scenarios.ts'
import {
  ask,
  differences,
  type Exchange,
  maskOf,
  parsed,
  type Recorder,
  type Service,
  startRecorder,
} from './service.ts'

const realUrl = 'https://api.cloudflare.com/client/v4'
const prefix = 'homeport-check-'
const unknownToken = 'homeport-check-token-that-does-not-exist'
/** The longest line of an answer that is printed. */
const shownCharacters = 2000
/** The status of a command that Ctrl-C ended. */
const interrupted = 130

const help = `Usage: npm run test:real [-- --probes]

Runs ${scenarios.length} scenarios of the updater against Cloudflare and against the sandbox. Prints each difference and each answer,
without ids and secrets. With --probes, sends four requests that need no credential instead.

  HOMEPORT_REAL_TOKEN         a token with DNS Edit on a scratch zone, which may list zones
  HOMEPORT_REAL_ZONE_ID       the ID of the scratch zone
  HOMEPORT_REAL_NARROW_TOKEN  optional: a token with DNS Edit on it, which may not list zones
  HOMEPORT_REAL_BASE_URL      default: ${realUrl}

It creates records whose names have a label that begins with ${prefix}, and removes them, also after Ctrl-C. Without a token, a
second sandbox takes the place of Cloudflare. Exit status: 0 if nothing differs.
`
const probes = readArguments(help, ['--probes']).has('--probes')

/** What one service did in one scenario. */
interface Outcome {
  /** What the command prints with --json, for each run, and its exit status. */
  readonly runs: readonly unknown[]
  /** The creation of the given records, then what the updater asked. */
  readonly exchanges: readonly Exchange[]
}

/** A service, with what the scenarios need there. */
interface Place extends Service {
  readonly recorder: Recorder
  readonly zoneName: string
  /** The label above which every name of this run lies. */
  readonly label: string
  readonly mask: (text: string) => string
}

let stopped = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true
  })
}

/** Returns a service for a sandbox of its own, and a token that may not list zones. */
async function sandboxService(seed: number): Promise<Service & { close(): Promise<void> }> {
  const sandbox = await startSandbox({ seed })
  const { apiUrl, zoneId, adminToken, dnsToken } = sandbox.description.cloudflare
  return { apiUrl, zoneId, token: adminToken, narrowToken: dnsToken, close: () => sandbox.close() }
}

/** Sends a request about the zone, which has to succeed. Resolves to its result. */
const must = <Result>({ apiUrl, zoneId, token }: Service, method: string, path: string) =>
  askCloudflare<Result>({ apiUrl, adminToken: token }, method, `/zones/${zoneId}${path}`)

async function openPlace(service: Service): Promise<Place> {
  const zone = await must<{ name: string; account: { name?: string } }>(service, 'GET', '')
  const label = `${prefix}${randomBytes(4).toString('hex')}`
  const mask = maskOf({
    token: service.token,
    'narrow token': service.narrowToken ?? '',
    zone: service.zoneId,
    account: zone.account.name ?? '',
    label,
    'zone name': zone.name,
  })
  return { ...service, recorder: await startRecorder(service.apiUrl, mask), zoneName: zone.name, label, mask }
}

/** Removes every record of this and of earlier runs. */
async function cleanUp(service: Service): Promise<void> {
  const perPage = 100
  for (let page = 1, full = true; full; page++) {
    const query = `page=${page}&per_page=${perPage}`
    const records = await must<{ id: string; name: string }[]>(service, 'GET', `/dns_records?${query}`)
    full = records.length === perPage
    for (const { id, name } of records) {
      if (name.split('.').some(part => part.startsWith(prefix)))
        await must(service, 'DELETE', `/dns_records/${id}`)
    }
  }
}

/** Returns the token that a scenario gives the updater. */
const tokenOf = ({ token, narrowToken = '' }: Service, scenario: Scenario): string =>
  scenario.token
    ? { narrow: narrowToken, unknown: unknownToken, malformed: 'malformed' }[scenario.token]
    : token

/** Runs a scenario against one service. */
async function play(place: Place, scenario: Scenario): Promise<Outcome> {
  const { recorder, zoneId, zoneName, label } = place
  const nameOf = (at: string) => (at.endsWith('.') ? at.slice(0, -1) : `${at}.${label}.${zoneName}`)
  const create = ({ at = 'home', ...fields }: GivenRecord) =>
    ask(`${recorder.url}/client/v4`, `/zones/${zoneId}/dns_records`, {
      token: place.token,
      method: 'POST',
      body: JSON.stringify({ ttl: 120, proxied: false, ...fields, name: nameOf(at) }),
    })
  for (const record of scenario.given ?? []) await create(record)
  const { at = ['home'], flags = [], zone, runs = 1 } = scenario
  const zoneFlags = zone === 'none' ? [] : ['--zone-id', zone === 'wrong' ? 'f'.repeat(32) : zoneId]
  const addresses = flags.includes('AAAA') ? [after6] : flags.includes('A,AAAA') ? [after, after6] : [after]
  const args = [
    '--json',
    '--allow-reserved-address',
    ...['--base-url', recorder.url, ...zoneFlags],
    ...at.flatMap(name => ['--hostname', nameOf(name)]),
    ...addresses.flatMap(address => ['--address', address]),
    ...flags,
  ]
  const ended: unknown[] = []
  for (let run = 0; run < runs; run++) ended.push(await update(place, args, tokenOf(place, scenario)))
  return { runs: ended, exchanges: recorder.take() }
}

/** Runs the action's bundle. Returns its exit status, and the round that it printed as JSON. */
async function update({ mask }: Place, args: readonly string[], token: string): Promise<unknown> {
  const { status, stdout } = await runCommand(args, { HOMEPORT_API_TOKEN: token })
  return { status, round: parsed(mask(stdout.trim())) }
}

/** Prints a line of at most 2,000 characters, as printable ASCII. */
function print(line: string): void {
  const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`
  process.stdout.write(`${line.slice(0, shownCharacters).replaceAll(/[^\x20-\x7e]/gu, escaped)}\n`)
}

/** Prints how the outcomes differ and the answers of the first service. Returns how many differences there are. */
function report(name: string, real: Outcome, double: Outcome): number {
  const found = differences(real, double)
  print(`${found.length === 0 ? 'same   ' : 'differs'} ${name}`)
  for (const line of found) print(`          ${line}`)
  for (const { request, status, body } of real.exchanges)
    print(`        ${request} ${status} ${JSON.stringify(body)}`)
  return found.length
}

/** Sends the requests that need no credential to both services. */
async function sendProbes(apiUrl: string, double: Service): Promise<number> {
  const list = [
    ['no token', '/user/tokens/verify', {}],
    ['a malformed token', '/user/tokens/verify', { token: 'malformed' }],
    ['an unknown token', '/user/tokens/verify', { token: unknownToken }],
    ['an unknown path', `/${prefix}path`, {}],
  ] as const
  let count = 0
  for (const [name, path, options] of list) {
    const outcomeOf = async (url: string): Promise<Outcome> => {
      const { status, text } = await ask(url, path, options)
      return { runs: [], exchanges: [{ request: `GET ${path}`, status, body: parsed(maskOf({})(text)) }] }
    }
    count += report(name, await outcomeOf(apiUrl), await outcomeOf(double.apiUrl))
  }
  return count
}

async function main(): Promise<number> {
  const {
    HOMEPORT_REAL_TOKEN: token,
    HOMEPORT_REAL_ZONE_ID: zoneId,
    HOMEPORT_REAL_NARROW_TOKEN: narrowToken,
  } = process.env
  const apiUrl = (process.env['HOMEPORT_REAL_BASE_URL'] ?? realUrl).replace(/\/+$/, '')
  const double = await sandboxService(1)
  const other = token || probes ? undefined : await sandboxService(2)
  try {
    if (probes) return await sendProbes(apiUrl, double)
    if (token && !zoneId)
      throw new Error('HOMEPORT_REAL_ZONE_ID is missing. Set it to the ID of a zone that nobody uses.')
    const service = other ?? { apiUrl, zoneId: zoneId ?? '', token: token ?? '', narrowToken }
    print(
      other
        ? 'HOMEPORT_REAL_TOKEN is not set, so a second sandbox takes the place of Cloudflare.'
        : `Comparing ${apiUrl} with the sandbox.`,
    )
    return await compare(await openPlace(service), await openPlace(double))
  } finally {
    await double.close()
    await other?.close()
  }
}

async function compare(real: Place, double: Place): Promise<number> {
  let count = 0
  try {
    for (const scenario of scenarios) {
      if (stopped) break
      if (scenario.token === 'narrow' && !real.narrowToken) {
        print(`not run ${scenario.name}: HOMEPORT_REAL_NARROW_TOKEN is not set`)
        continue
      }
      const [one, other] = await Promise.all([play(real, scenario), play(double, scenario)])
      count += report(scenario.name, one, other)
      await Promise.all([cleanUp(real), cleanUp(double)])
    }
  } finally {
    await Promise.all([cleanUp(real), cleanUp(double)])
    for (const { recorder } of [real, double]) recorder.close()
  }
  return count
}

try {
  const count = await main()
  print(
    stopped
      ? 'Stopped. The records of this run are removed.'
      : count === 0
        ? 'Nothing differs.'
        : `${count} differences.`,
  )
  process.exitCode = stopped ? interrupted : count === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
