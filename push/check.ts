import { checkAddress, specialPurposeOf } from '../action/address/check.ts'
import { type Clock, startDeadline } from '../action/deadline.ts'
import type { Decision } from '../action/decide.ts'
import { families } from '../action/record-type.ts'
import { openDnsApi } from '../action/records/dns-api.ts'
import { listZone } from '../action/records/list.ts'
import { explainHidden } from '../action/records/problems.ts'
import type { DnsRecord } from '../action/records/record.ts'
import type { Exchange } from '../lib/exchange.ts'
import { withSuffix } from '../lib/ipv6-suffix.ts'
import type { Host } from './hosts.ts'
import { decideGiven } from './keep.ts'
import { type PushSettings, wordProblem } from './settings.ts'

/** What the check says: safe to print. Only an `error` keeps the endpoint from its work. */
export interface CheckResult {
  readonly level: 'ok' | 'note' | 'error'
  readonly text: string
}

const totalMs = 60_000

/** Reads the records of every host, and says what the endpoint would do with the next address. Writes nothing. */
export async function checkRecords(
  settings: PushSettings,
  exchange: Exchange,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const { apiToken: token, baseUrl, zoneId, hosts } = settings
  const api = openDnsApi({ baseUrl, token }, exchange, startDeadline(totalMs, clock), clock)
  const names = hosts.map(({ name }) => name)
  const listings = await listZone(api, zoneId, names)
  // An address that no router has shows what a change would do.
  const results = hosts.flatMap(host =>
    host.types.flatMap(type => {
      const slot = { hostname: host.name, zoneId, type }
      const wanted = { slot, address: families[type].example }
      return judge(settings, host, decideGiven(wanted, listings.get(host.name) ?? null))
    }),
  )
  // One wrong token or zone fails for every name alike.
  return [...new Map(results.map(result => [result.text, result])).values()]
}

/** Whether an address is a placeholder until the first ping: no network has it (RFC 5737, RFC 3849, RFC 6666). */
function isPlaceholder(address: string): boolean {
  return /^(documentation|discard-only)/.test(specialPurposeOf(address) ?? '')
}

function judge(
  { expectedCidrs }: PushSettings,
  { suffix }: Host,
  decision: Decision,
): readonly CheckResult[] {
  const problem = decision.kind === 'done' ? decision.result.problem : null
  if (problem) return [error(wordProblem(problem))]
  const record = recordOf(decision)
  if (record === null) return []
  const { name, type, content, proxied, hiddenBy } = record
  const unfit = checkAddress(content, { expectedCidrs, allowReserved: false })
  const present = isPlaceholder(content)
    ? `${content} is a placeholder, which no network has. The first ping replaces it.`
    : unfit && `a ping with the present address would be refused. ${wordProblem(unfit)}`
  const changes =
    suffix && type === 'AAAA'
      ? `A ping writes the prefix of its network and ${suffix.host}, such as ${withSuffix(content, suffix)}.`
      : 'A ping with another address changes it.'
  return [
    ok(`${name} has the ${type} record ${content}. ${changes}`),
    ...(present ? [note(`${name}: ${present}`)] : []),
    ...(hiddenBy.length > 0 ? [error(explainHidden(record).message)] : []),
    ...(proxied ? [note(`${name} is proxied, so a FRITZ!Box shows an error although all is well.`)] : []),
  ]
}

function recordOf(decision: Decision): DnsRecord | null {
  if (decision.kind === 'done') return decision.result.confirmed
  return decision.plan.kind === 'update' ? decision.plan.record : null
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
): Promise<readonly CheckResult[]> {
  const plain = url.origin.replace(/^https:/, 'http:')
  async function ask(origin: string, agent: string) {
    const request = { url: `${origin}${routerPath}`, headers: { 'User-Agent': agent } }
    const outcome = await exchange({ method: 'GET', ...request, timeoutMs: probeMs, maxBytes })
    if (outcome.kind === 'failure') return { status: 0, problem: outcome.detail }
    const { status, body } = outcome
    const isRight = status === 401 && body.startsWith('badauth')
    return { status, problem: isRight ? null : `it answers ${status} instead of 401 badauth` }
  }
  const results: CheckResult[] = []
  let isReached = false
  for (const agent of plain === url.origin ? [] : agents) {
    const { status, problem } = await ask(url.origin, agent)
    isReached ||= status > 0
    const isRefused = [403, 429, 503].includes(status)
    const why = isRefused ? ' A rule in front of it may refuse this client, or its settings are wrong.' : ''
    if (problem) results.push(error(`${url.origin} does not answer ${agent}: ${problem}.${why}`))
    else results.push(ok(`${url.origin} answers ${agent}.`))
  }
  const { status, problem } = await ask(plain, agents[0])
  const does = plainHttp ? 'accepts passwords (PLAIN_HTTP)' : 'refuses every password'
  if (status === 0 && isReached) results.push(ok(`${plain} is silent, so no password crosses it.`))
  else if (status >= 300 && status < 400) results.push(error(`${plain} redirects. ${disclosed} ${exits}`))
  else results.push(problem ? error(`${plain}: ${problem}.`) : note(`${plain} ${does}. ${disclosed}`))
  if (!/(^|\.)workers\.dev$/.test(url.hostname)) results.push(note(zoneSettings))
  return results
}

const disclosed = 'A router that is set to http discloses its password before it has the answer.'
const exits = 'inadyn then exits for good. Set your router to https.'
const zoneSettings =
  'On a custom domain, these settings of its zone act before the endpoint: Bot Fight Mode and Browser Integrity Check can ' +
  'refuse routers, Always Use HTTPS redirects those on http, and Minimum TLS Version shuts out old ones.'

const result = (level: CheckResult['level']) => (text: string) => ({ level, text })
const [ok, note, error] = [result('ok'), result('note'), result('error')]
