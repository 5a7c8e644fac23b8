import { canonicalHostname } from '../lib/hostname.ts'
import { mapAfterFirst } from './concurrency.ts'
import type { Clock, Deadline } from './deadline.ts'
import type { DnsClient } from './dns-client.ts'
import type { DnsResponse } from './dns-message.ts'
import type { Problem, ProblemSetting, Reading } from './problem.ts'
import type { RecordType } from './record-type.ts'
import { quote } from './text/quote.ts'

/** How records are confirmed: by the service alone, or also by its name servers, which are looked up if the list is empty. */
export type Verify =
  | { readonly by: 'response' }
  | { readonly by: 'dns'; readonly servers: readonly NameServer[] }

/** A name server as it was given or looked up. */
export interface NameServer {
  /** Its name in messages and outputs. */
  readonly name: string
  readonly host: string
  readonly port: number
}

/** A record that the service confirmed. */
export interface Confirmed {
  readonly hostname: string
  readonly type: RecordType
  readonly zoneId: string | null
  readonly address: string
  /** What the record held before; null for a new one. */
  readonly previousAddress: string | null
  readonly proxied: boolean
}

/** The names of the servers, all of which serve the record, or why it is not known to be served. */
export type Verification = Reading<readonly string[]>

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
}

const dnsPort = 53
const maxQueryMs = 4000
/** A query with less time than this proves nothing, so the last response of the server is kept. */
const minQueryMs = 100
const maxConcurrentQueries = 16
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
  const found = given.length > 0 ? records.map(() => ({ value: given })) : await findServers(records, context)
  const checks = records.map((record, index): Reading<readonly Check[], string> => {
    const servers = found[index] ?? { value: [] }
    return 'problem' in servers ? servers : { value: servers.value.map(server => ({ record, server })) }
  })
  const lagging = await waitUntilServed(
    checks.flatMap(own => ('value' in own ? own.value : [])),
    context,
  )
  return checks.map((own): Verification => {
    if ('problem' in own) return { problem: notServed(own.problem) }
    const late = own.value.filter(check => lagging.has(check))
    const [first] = late
    if (first) return { problem: explainLag(first.record, late, lagging) }
    return { value: own.value.map(({ server }) => server.name) }
  })
}

/** Repeats the checks until all succeed or the time is up. Returns what the servers of the others said last. */
async function waitUntilServed(
  checks: readonly Check[],
  context: VerifyContext,
): Promise<ReadonlyMap<Check, string>> {
  const { clock, deadline } = context
  const hosts = [...new Set(checks.map(({ server }) => server.host))]
  const addresses = new Map<string, Reading<readonly string[], string>>(
    await mapAfterFirst(
      hosts,
      maxConcurrentQueries,
      async host => [host, await context.dns.addressesOf(host)] as const,
    ),
  )
  const lagging = new Map(checks.map(check => [check, 'was not asked in time']))
  for (let waitMs = minWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    const silent = new Map<string, string>()
    await mapAfterFirst([...lagging.keys()], maxConcurrentQueries, async check => {
      const { record, server } = check
      if (deadline.remainingMs() < minQueryMs) return
      // One wait for a silent server is enough: the checks of other servers wait behind it.
      const silence = silent.get(server.name)
      if (silence !== undefined) return void lagging.set(check, silence)
      const found = addresses.get(server.host) ?? { value: [] }
      const response = 'problem' in found ? found : await ask(record, found.value, server.port, context)
      const served = readServed(response, record)
      if ('value' in served) return void lagging.delete(check)
      lagging.set(check, served.problem)
      if ('problem' in response) silent.set(server.name, served.problem)
    })
    const sleepMs = waitMs * (0.5 + clock.random() / 2)
    if (lagging.size === 0 || sleepMs >= deadline.remainingMs()) return lagging
    const asleepMs = clock.now()
    await clock.sleep(sleepMs)
    // A wait that ends early means that the run was asked to stop.
    if (clock.now() - asleepMs < sleepMs / 2) return lagging
  }
}

/** Asks one server at its first address that responds. */
async function ask(
  { hostname, type }: Confirmed,
  addresses: readonly string[],
  port: number,
  { dns, clock, deadline }: VerifyContext,
): Promise<Reading<DnsResponse, string>> {
  let response: Reading<DnsResponse, string> = { problem: 'it has no address' }
  for (const address of addresses) {
    const question = {
      id: Math.floor(clock.random() * 0x10000),
      name: hostname,
      type,
      recursionDesired: false,
    }
    const timeoutMs = Math.min(maxQueryMs, deadline.remainingMs())
    if (timeoutMs <= 0) break
    response = await dns.ask({ address, port }, question, timeoutMs)
    if ('value' in response) break
  }
  return response
}

/**
 * Reads the addresses by which a response shows the record. The problem is what its server does instead. A proxied name has
 * addresses of the proxy: any, but neither the new nor the previous address of the record.
 */
export function readServed(
  response: Reading<DnsResponse, string>,
  record: Confirmed,
): Reading<readonly string[], string> {
  if ('problem' in response) return { problem: `did not respond (${response.problem})` }
  const { rcode, authoritative, answers } = response.value
  if (rcode !== 'NOERROR') return { problem: `returned ${rcode}` }
  if (!authoritative) return { problem: 'is not authoritative for it' }
  const own = answers.filter(({ name }) => name === record.hostname)
  const addresses = own.flatMap(({ type, data }) => (type === record.type ? data : []))
  const alias = own.find(({ type }) => type === 'CNAME')
  if (alias) return { problem: `serves an alias to ${quote(alias.data)}` }
  if (addresses.length === 0) return { problem: `serves no ${record.type} record` }
  const served = `serves ${addresses.join(', ')}`
  if (record.proxied) {
    const unproxied = addresses.some(data => data === record.address || data === record.previousAddress)
    return unproxied ? { problem: `${served} instead of addresses of the proxy` } : { value: addresses }
  }
  const isRight = addresses.length === 1 && addresses[0] === record.address
  return isRight ? { value: addresses } : { problem: served }
}

type Found = Reading<readonly NameServer[], string>

/** Looks up the name servers of each record. Records of one zone share a lookup. */
async function findServers(records: readonly Confirmed[], context: VerifyContext): Promise<readonly Found[]> {
  const apexes = new Map<string | null, { readonly apex: string; readonly found: Found }>()
  const results: Found[] = []
  for (const { zoneId, hostname } of records) {
    const known = apexes.get(zoneId)
    const usable = known && (hostname === known.apex || hostname.endsWith(`.${known.apex}`))
    const looked = usable ? known : await findApex(hostname, context)
    apexes.set(zoneId, looked)
    results.push(looked.found)
  }
  return results
}

/** Finds the top of the zone that a name is in: from the name upwards, the first name with name servers. */
async function findApex(
  hostname: string,
  { dns, deadline }: VerifyContext,
): Promise<{ readonly apex: string; readonly found: Found }> {
  const failed = (why: string) => ({
    apex: hostname,
    found: { problem: `Failed to find the name servers of ${hostname}: ${why}. Set name-servers.` },
  })
  const labels = hostname.replace(/^\*\./, '').split('.')
  for (let depth = 0; depth < labels.length - 1; depth++) {
    if (deadline.remainingMs() <= 0) return failed('no time was left')
    const apex = labels.slice(depth).join('.')
    const names = await dns.nameServersOf(apex)
    if ('problem' in names) return failed(names.problem)
    if (names.value.length === 0) continue
    const hosts = names.value.map(name => canonicalHostname(name))
    if (hosts.includes(null)) return failed(`${apex} has ${names.value.map(quote).join(', ')}`)
    const servers = hosts.flatMap(host => (host ? [{ name: host, host, port: dnsPort }] : []))
    return { apex, found: { value: servers.toSorted((one, other) => (one.name < other.name ? -1 : 1)) } }
  }
  return failed('no zone above it has any')
}

function explainLag(
  { hostname, type, address }: Confirmed,
  late: readonly Check[],
  lags: ReadonlyMap<Check, string>,
): Problem {
  const named = late.map(check => `${check.server.name} ${lags.get(check)}`).join('; ')
  return notServed(
    `The service confirmed ${hostname} (${type}) with ${address}, but not every name server serves it: ${named}. If ` +
      'this lasts, check that the domain is delegated to the name servers of its zone.',
    'timeout',
  )
}

function notServed(message: string, setting?: ProblemSetting): Problem {
  return { reason: 'not-served', message, ...(setting && { setting }) }
}
