import { checkAddress } from '../action/address/check.ts'
import { families } from '../action/address/family.ts'
import { type Clock, startDeadline } from '../action/deadline.ts'
import type { Exchange } from '../action/exchange.ts'
import { findRecord, reconcile } from '../action/reconcile.ts'
import type { RecordType } from '../action/record-type.ts'
import { openDnsApi } from '../action/records/dns-api.ts'
import { type Listing, listTargets, readZoneSuffix } from '../action/records/list.ts'
import { explainHidden, explainOutside, explainRefusal } from '../action/records/problems.ts'
import type { DnsRecord, Wanted } from '../action/records/record.ts'
import { isOutside } from '../action/records/zone-suffix.ts'
import type { Host } from './hosts.ts'
import type { PushSettings } from './settings.ts'
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
  const findings = hosts.flatMap(host => judgeHost(settings, host, listings.get(host.name), zoneSuffix))
  // One wrong token or zone fails for every name alike.
  return [...new Map(findings.map(finding => [finding.text, finding])).values()]
}

function judgeHost(
  settings: PushSettings,
  host: Host,
  listing: Listing | undefined,
  suffix: string | null,
): readonly Finding[] {
  if (listing?.kind !== 'listed') return [error(listing?.problem.message ?? `${host.name} was not read.`)]
  const { records, zoneSuffix } = listing
  return host.types.flatMap(type => judgeRecord(settings, host.name, type, records, zoneSuffix ?? suffix))
}

function judgeRecord(
  settings: PushSettings,
  hostname: string,
  type: RecordType,
  records: readonly DnsRecord[],
  zoneSuffix: string | null,
): readonly Finding[] {
  const lookup = findRecord(records, hostname, type)
  const found = lookup.kind === 'one' ? lookup.record : null
  const { example } = families[type]
  const { ttl, proxied, create, zoneId, expectedCidrs } = settings
  // An address that no router has shows what a change would do.
  const wanted: Wanted = { hostname, type, address: example, ttl, proxied, create, onDrift: 'warn' }
  const plan = reconcile(records, wanted)
  if (!found && zoneSuffix && isOutside(hostname, zoneSuffix))
    return [error(explainOutside({ hostname, zoneId }, zoneSuffix).message)]
  if (plan.kind === 'refuse') return [error(explainRefusal(plan.refusal, wanted).message)]
  if (!found) return [ok(`${hostname} has no ${type} record. The first ping creates it.`)]
  const drift = 'drift' in plan ? plan.drift : []
  const changes = drift.map(({ field, found: now, wanted: then }) => `${field} from ${now} to ${then}`)
  const also = changes.length > 0 ? ` Its next change also sets ${changes.join(' and ')}.` : ''
  const unfit = checkAddress(found.content, { expectedCidrs, allowReserved: false })
  return [
    ok(`${hostname} has the ${type} record ${found.content}. A ping with another address changes it.${also}`),
    ...(unfit
      ? [note(`${hostname}: a ping with the present address would be refused. ${unfit.message}`)]
      : []),
    ...(found.hiddenBy.length > 0 ? [error(explainHidden(found).message)] : []),
    ...(proxied ? [note(`${hostname} is proxied, so a FRITZ!Box shows an error although all is well.`)] : []),
  ]
}

const routerPath = '/nic/update'
/** User agents of clients that Browser Integrity Check or a bot rule may refuse. */
const agents = ['Fritz!Box DDNS/1.0.1', 'inadyn/2.10.0', 'ddclient/3.10.0']
const probeMs = 10_000
const maxBytes = 64 * 1024

/** Says how a deployed endpoint answers without a password: by https, by plain http, and to the agents of routers. */
export async function checkEndpoint(
  url: URL,
  { plainHttp }: Pick<PushSettings, 'plainHttp'>,
  exchange: Exchange,
): Promise<readonly Finding[]> {
  const ask = (protocol: string, agent: string) =>
    exchange({
      method: 'GET',
      url: new URL(routerPath, url.href.replace(/^https?:/, protocol)).href,
      headers: { 'User-Agent': agent },
      timeoutMs: probeMs,
      maxBytes,
    })
  const isRight = (outcome: Awaited<ReturnType<Exchange>>) =>
    outcome.kind === 'response' && outcome.status === 401 && outcome.body.startsWith('badauth')
  const describe = (outcome: Awaited<ReturnType<Exchange>>) =>
    outcome.kind === 'failure' ? outcome.detail : `it answers ${outcome.status} instead of 401 badauth`
  const findings: Finding[] = []
  for (const agent of url.protocol === 'https:' ? agents : []) {
    const outcome = await ask('https:', agent)
    const isRefused = outcome.kind === 'response' && [403, 429, 503].includes(outcome.status)
    const why = isRefused ? ' A rule in front of it may refuse this client, or its settings are wrong.' : ''
    findings.push(
      isRight(outcome)
        ? ok(`${url.origin} answers ${agent}.`)
        : error(`${url.origin} does not answer ${agent}: ${describe(outcome)}.${why}`),
    )
  }
  const plain = await ask('http:', agents[0] ?? '')
  const origin = url.origin.replace(/^https:/, 'http:')
  const disclosed = 'A router that is set to http discloses its password before it has the answer.'
  if (plain.kind === 'failure') findings.push(ok(`${origin} is closed, so no password crosses it.`))
  else if (plain.status >= 300 && plain.status < 400)
    findings.push(
      error(`${origin} redirects. ${disclosed} inadyn then exits for good. Set your router to https.`),
    )
  else if (!isRight(plain)) findings.push(error(`${origin}: ${describe(plain)}.`))
  else if (plainHttp) findings.push(note(`${origin} accepts passwords (PLAIN_HTTP). ${disclosed}`))
  else findings.push(note(`${origin} refuses every password. ${disclosed}`))
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
