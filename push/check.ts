import { checkAddress } from '../action/address/check.ts'
import { families } from '../action/address/family.ts'
import { type Clock, startDeadline } from '../action/deadline.ts'
import { describePlan } from '../action/decide.ts'
import type { Exchange } from '../action/exchange.ts'
import { findRecord } from '../action/reconcile.ts'
import type { RecordType } from '../action/record-type.ts'
import { openDnsApi } from '../action/records/dns-api.ts'
import { type Listing, listTargets, readZoneSuffix } from '../action/records/list.ts'
import { explainHidden } from '../action/records/problems.ts'
import type { Host } from './hosts.ts'
import type { PushSettings } from './settings.ts'
import { decideFor } from './update.ts'
import { inSettings } from './wording.ts'

/** What a look found: safe to print. Only an `error` keeps the endpoint from its work. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'error'
  readonly text: string
}

const totalMs = 60_000

/** Reads the records of every host, and says what the endpoint would do with the next address. Writes nothing. */
export async function checkRecords(
  settings: PushSettings,
  exchange: Exchange,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { apiToken: token, baseUrl, zoneId, hosts } = settings
  const api = openDnsApi({ baseUrl, token }, exchange, startDeadline(totalMs, clock), clock)
  const listings = await listTargets(
    api,
    hosts.map(({ name }) => ({ hostname: name, zoneId })),
  )
  // A list by name does not show whether the zone can hold the name.
  const suffix = hosts.length === 1 ? await readZoneSuffix(api, zoneId) : null
  const zoneSuffix = suffix && 'value' in suffix ? suffix.value : null
  const findings = hosts.flatMap(host => {
    const listing = listings.get(host.name)
    if (listing?.kind !== 'listed') return error(listing?.problem.message ?? `${host.name} was not read.`)
    const listed = { ...listing, zoneSuffix: listing.zoneSuffix ?? zoneSuffix }
    return host.types.flatMap(type => judgeRecord(settings, host, type, listed))
  })
  // One wrong token or zone fails for every name alike.
  return [...new Map(findings.map(finding => [finding.text, finding])).values()]
}

function judgeRecord(
  settings: PushSettings,
  host: Host,
  type: RecordType,
  listing: Extract<Listing, { kind: 'listed' }>,
): readonly Finding[] {
  const { name } = host
  // An address that no router has shows what a change would do.
  const { example } = families[type]
  const decision = decideFor(settings, host, [type, example], listing)
  const { problem, previousAddress, drift } =
    decision.kind === 'done' ? decision.outcome.result : describePlan(decision.slot, example, decision.plan)
  if (problem) return [error(problem.message)]
  if (previousAddress === null) return [ok(`${name} has no ${type} record. The first ping creates it.`)]
  const changes = drift.map(({ field, found, wanted }) => `${field} from ${found} to ${wanted}`)
  const also = changes.length > 0 ? ` Its next change also sets ${changes.join(' and ')}.` : ''
  const { expectedCidrs, proxied } = settings
  const unfit = checkAddress(previousAddress, { expectedCidrs, allowReserved: false })
  const lookup = findRecord(listing.records, name, type)
  const isHidden = lookup.kind === 'one' && lookup.record.hiddenBy.length > 0
  return [
    ok(`${name} has the ${type} record ${previousAddress}. A ping with another address changes it.${also}`),
    ...(unfit ? [note(`${name}: a ping with the present address would be refused. ${unfit.message}`)] : []),
    ...(isHidden ? [error(explainHidden(lookup.record).message)] : []),
    ...(proxied ? [note(`${name} is proxied, so a FRITZ!Box shows an error although all is well.`)] : []),
  ]
}

const routerPath = '/nic/update'
/** User agents of clients that Browser Integrity Check or a bot rule may refuse. */
const agents = ['Fritz!Box DDNS/1.0.1', 'inadyn/2.10.0', 'ddclient/3.10.0'] as const
const probeMs = 10_000
const maxBytes = 64 * 1024

/** Says how a deployed endpoint answers without a password: by https, by plain http, and to the agents of routers. */
export async function checkEndpoint(
  url: URL,
  { plainHttp }: Pick<PushSettings, 'plainHttp'>,
  exchange: Exchange,
): Promise<readonly Finding[]> {
  const origin = (protocol: string) => url.origin.replace(/^https?:/, protocol)
  const ask = async (protocol: string, agent: string = agents[0]) => {
    const headers = { 'User-Agent': agent }
    const target = `${origin(protocol)}${routerPath}`
    const outcome = await exchange({ method: 'GET', url: target, headers, timeoutMs: probeMs, maxBytes })
    if (outcome.kind === 'failure') return { status: 0, problem: outcome.detail }
    const { status, body } = outcome
    const isRight = status === 401 && body.startsWith('badauth')
    return { status, problem: isRight ? null : `it answers ${status} instead of 401 badauth` }
  }
  const findings: Finding[] = []
  for (const agent of url.protocol === 'https:' ? agents : []) {
    const { status, problem } = await ask('https:', agent)
    const isRefused = [403, 429, 503].includes(status)
    const why = isRefused ? ' A rule in front of it may refuse this client, or its settings are wrong.' : ''
    if (problem === null) findings.push(ok(`${url.origin} answers ${agent}.`))
    else findings.push(error(`${url.origin} does not answer ${agent}: ${problem}.${why}`))
  }
  const { status, problem } = await ask('http:')
  const plain = origin('http:')
  const disclosed = 'A router that is set to http discloses its password before it has the answer.'
  if (status === 0) findings.push(ok(`${plain} is closed, so no password crosses it.`))
  else if (status >= 300 && status < 400)
    findings.push(
      error(`${plain} redirects. ${disclosed} inadyn then exits for good. Set your router to https.`),
    )
  else if (problem !== null) findings.push(error(`${plain}: ${problem}.`))
  else if (plainHttp) findings.push(note(`${plain} accepts passwords (PLAIN_HTTP). ${disclosed}`))
  else findings.push(note(`${plain} refuses every password. ${disclosed}`))
  if (!/(^|\.)workers\.dev$/.test(url.hostname)) findings.push(note(zoneSettings))
  return findings
}

const zoneSettings =
  'On a custom domain, these settings of its zone act before the endpoint: Bot Fight Mode and Browser Integrity Check can ' +
  'refuse routers, Always Use HTTPS redirects those on http, and Minimum TLS Version shuts out old ones.'

const finding = (level: Finding['level']) => (text: string) => ({ level, text: inSettings(text) })
const ok = finding('ok')
const note = finding('note')
const error = finding('error')
