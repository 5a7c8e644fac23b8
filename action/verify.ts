import { getOrCreate } from '../lib/get-or-create.ts'
import { canonicalHostname } from '../lib/hostname.ts'
import { quote } from '../lib/quote.ts'
import { createLimit } from './concurrency.ts'
import type { Clock, Deadline } from './deadline.ts'
import type { Address, DnsClient, Served } from './name-servers.ts'
import type { Problem, ProblemSetting, Reading } from './problem.ts'
import { families } from './record-type.ts'
import { suffixesOf } from './records/zone.ts'
import type { RecordResult } from './result.ts'
import { setting } from './setting-names.ts'

/** A name server as it was given or looked up. */
export interface NameServer {
  /** Its name in messages and outputs. */
  readonly name: string
  readonly host: string
  readonly port: number
}

/** A record that Cloudflare confirmed. */
export type Confirmed = Pick<RecordResult, 'hostname' | 'type' | 'previousAddress'> & {
  readonly address: string
  readonly proxied: boolean
}

/**
 * The names of the servers, all of which serve the record, and what a reader should know about others; or why it is not known to
 * be served.
 */
export type Verification = Reading<{
  readonly servedBy: readonly string[]
  readonly notes: readonly string[]
}>

/** What verification needs from the round. */
export interface VerifyContext {
  readonly dns: DnsClient
  readonly deadline: Deadline
  readonly clock: Clock
}

/** One question to one server, which is repeated until it serves the record. */
interface Check {
  readonly record: Confirmed
  readonly server: NameServer
  last: ServerAnswer
}

/** What a server served last, and whether it may be a resolver. */
interface ServerAnswer {
  readonly served: Served
  readonly isUnclear?: boolean
}

export const dnsPort = 53
const maxQueryMs = 4000
/** A query with less time than this proves nothing, so the last response of the server is kept. */
const minQueryMs = 100
const maxConcurrentQueries = 16
/** Minimum passes in which to ask a server that does not say whether it is a resolver. */
const minPasses = 2
const minWaitMs = 1000
const maxWaitMs = 5000

/**
 * Asks every authoritative name server of every record until all of them serve it, or the deadline is near. Returns one
 * verification for each record, in order.
 */
export async function verifyServed(
  records: readonly Confirmed[],
  given: readonly NameServer[],
  context: VerifyContext,
): Promise<readonly Verification[]> {
  const find = given.length > 0 ? async () => ({ value: given }) : createServerFinder(context)
  const check = async (record: Confirmed): Promise<Reading<readonly Check[], string>> => {
    const servers = await find(record.hostname)
    if ('problem' in servers) return servers
    const last = { served: { silence: 'was not asked in time' } }
    return { value: servers.value.map(server => ({ record, server, last })) }
  }
  const checks = await Promise.all(records.map(check))
  await waitUntilServed(
    checks.flatMap(ofRecord => ('value' in ofRecord ? ofRecord.value : [])),
    context,
  )
  return checks.map((ofRecord): Verification => {
    if ('problem' in ofRecord) return { problem: notServed(ofRecord.problem) }
    const late = ofRecord.value.filter(isLate)
    const [first] = ofRecord.value
    if (first && late.length > 0) return { problem: explainLag(first.record, late) }
    const names = (isUnclear: boolean) =>
      ofRecord.value.flatMap(({ last, server }) => (Boolean(last.isUnclear) === isUnclear ? server.name : []))
    const [clear, unclear] = [names(false), names(true)]
    const notes = unclear.length > 0 ? [describeUnclear(unclear)] : []
    if (first && clear.length === 0)
      return { problem: notServed(`Cloudflare confirmed ${first.record.hostname}. ${notes}`) }
    return { value: { servedBy: clear, notes } }
  })
}

/** Repeats the checks until all succeed or the time is up. */
async function waitUntilServed(checks: readonly Check[], context: VerifyContext): Promise<void> {
  const { clock, deadline } = context
  const hosts = [...new Set(checks.map(({ server }) => server.host))]
  const find = async (host: string) =>
    [host, await context.dns.addressesOf(host, deadline.remainingMs())] as const
  const addresses = new Map(await Promise.all(hosts.map(find)))
  const resolvers = new Map<string, Promise<boolean | null>>()
  const start = createLimit(maxConcurrentQueries)
  let lagging = checks
  for (let pass = 1, waitMs = minWaitMs; ; pass++, waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    const silent = new Map<string, ServerAnswer>()
    const repeat = async (check: Check) => {
      const { record, server } = check
      if (deadline.remainingMs() < minQueryMs) return
      // One wait for a silent server is enough: the checks of other servers wait behind it.
      const found = addresses.get(server.host) ?? { value: [] }
      check.last = silent.get(server.name) ?? (await ask(record, found, server.port, resolvers, context))
      if ('silence' in check.last.served) silent.set(server.name, check.last)
    }
    await Promise.all(lagging.map(check => start(() => repeat(check))))
    lagging = lagging.filter(check => isLate(check) || check.last.isUnclear)
    for (const [key, asked] of resolvers) if ((await asked) === null) resolvers.delete(key)
    const isSettled = !lagging.some(isLate) && (lagging.length === 0 || pass >= minPasses)
    const sleepMs = waitMs * (0.5 + clock.random() / 2)
    if (isSettled || sleepMs >= deadline.remainingMs()) return
    const asleepMs = clock.now()
    await clock.sleep(sleepMs)
    // A wait that ends early means that the run was asked to stop.
    if (clock.now() - asleepMs < sleepMs / 2) return
  }
}

/**
 * Asks one server at its first address that responds. Node's client asks for recursion, so a resolver in between, as of a
 * router that redirects port 53, would answer from its cache: each address is also asked whether it is one, until it says so.
 */
async function ask(
  { hostname, type }: Confirmed,
  addresses: Reading<readonly string[], string>,
  port: number,
  resolvers: Map<string, Promise<boolean | null>>,
  { dns, deadline }: VerifyContext,
): Promise<ServerAnswer> {
  const why = 'problem' in addresses ? addresses.problem : 'it has no address'
  let served: Served = { silence: `did not respond (${why})` }
  for (const address of 'value' in addresses ? addresses.value : []) {
    const timeoutMs = Math.min(maxQueryMs, deadline.remainingMs())
    if (timeoutMs <= 0) break
    const server: Address = { address, port }
    const checking = getOrCreate(resolvers, `${address} ${port}`, () => dns.isResolver(server, timeoutMs))
    served = await dns.ask(server, hostname, type, timeoutMs)
    if ('silence' in served) continue
    const isResolver = await checking
    if (!isResolver) return { served, isUnclear: isResolver === null }
    const problem = 'answers for com, too, so a resolver responded in its place (is port 53 redirected?)'
    return { served: { problem } }
  }
  return { served }
}

function isLate({ last, record }: Check): boolean {
  return explainServed(last.served, record) !== null
}

/**
 * Returns null if a server serves the record, else what it does instead. A proxied name has addresses of the proxy: any, but
 * neither the new nor the previous address of the record.
 */
export function explainServed(served: Served, record: Confirmed): string | null {
  if ('silence' in served) return served.silence
  if ('problem' in served) return served.problem
  const addresses = served.value.map(text => families[record.type].parse(text) ?? text)
  if (addresses.length === 0) return `serves no ${record.type} record`
  const found = `serves ${addresses.join(', ')}`
  if (record.proxied) {
    const unproxied = addresses.some(text => text === record.address || text === record.previousAddress)
    return unproxied ? `${found} instead of addresses of the proxy` : null
  }
  return addresses.length === 1 && addresses[0] === record.address ? null : found
}

/**
 * Creates a function that finds the servers of the zone that a name is in: from the name upwards, those of the first name that has
 * any. Each name is looked up once.
 */
function createServerFinder({ dns, deadline }: VerifyContext) {
  const lookUps = new Map<string, ReturnType<DnsClient['nameServersOf']>>()
  return async (hostname: string): Promise<Reading<readonly NameServer[], string>> => {
    const failed = (why: string) => ({
      problem: `Failed to find the name servers of ${hostname}: ${why}. Set ${setting('name-servers')}.`,
    })
    for (const apex of suffixesOf(hostname)) {
      const names = await getOrCreate(lookUps, apex, () => dns.nameServersOf(apex, deadline.remainingMs()))
      if ('problem' in names) return failed(names.problem)
      if (names.value.length === 0) continue
      const hosts = names.value.map(name => canonicalHostname(name))
      if (hosts.includes(null)) return failed(`${apex} has ${names.value.map(quote).join(', ')}`)
      const servers = hosts.flatMap(host => (host ? [{ name: host, host, port: dnsPort }] : []))
      return { value: servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)) }
    }
    return failed('no zone above it has any')
  }
}

function explainLag({ hostname, type, address }: Confirmed, late: readonly Check[]): Problem {
  const named = late
    .map(({ server, last, record }) => `${server.name} ${explainServed(last.served, record)}`)
    .join('; ')
  return notServed(
    `Cloudflare confirmed ${hostname} (${type}) with ${address}, but not every name server serves it: ${named}. If ` +
      'this lasts, check that the domain is delegated to the name servers of its zone.',
    'timeout',
  )
}

/** Returns the warning about servers that may be resolvers, for all records at once. */
function describeUnclear(names: readonly string[]): string {
  return `The record is served by ${names.join(', ')}, but without a response for com: it may be a slow resolver.`
}

function notServed(message: string, setting?: ProblemSetting): Problem {
  return { reason: 'not-served', message, ...(setting && { setting }) }
}
