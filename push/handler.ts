import { type Clock, startDeadline } from '../action/deadline.ts'
import { notify } from '../action/notify.ts'
import { unhandledError } from '../action/problem.ts'
import { openDnsApi } from '../action/records/dns-api.ts'
import { tell } from '../action/tell.ts'
import type { Exchange } from '../lib/exchange.ts'
import { createNetworkLimit, type NetworkLimit, type PlatformLimit } from '../lib/network-limit.ts'
import { quote } from '../lib/quote.ts'
import { maskSecrets } from '../lib/redact.ts'
import { networkOf } from '../lib/trusted-proxies.ts'
import { answer, isRight, type Line, plain } from './answers.ts'
import { type Host, maskPasswords } from './hosts.ts'
import { hashPassword } from './passwords.ts'
import {
  type Caller,
  hasFirstNetwork,
  passwordOf,
  pathOf,
  readAddresses,
  readNames,
  readParameters,
  updatePaths,
} from './protocol.ts'
import { createReads, type Turn } from './reads.ts'
import { type PushSettings, wordProblem } from './settings.ts'
import { type HostUpdate, planHostUpdate, type Result, updateHosts } from './update.ts'

/** One line of the log: safe to print. */
export type Entry = { readonly level: 'info' | 'warning' | 'error' } & Readonly<Record<string, unknown>>

/** What the handler can use. */
export interface HandlerContext {
  readonly exchange: Exchange
  readonly clock: Clock
  readonly log: (entry: Entry) => void
  /** Keeps a Worker's instance until the work has ended. The answer does not wait for it. A process of Node ends after it anyway. */
  readonly keepAlive?: (work: Promise<void>) => void
  readonly limits?: Limits | undefined
  /** Of wrong passwords, for all instances. */
  readonly platformLimit?: Partial<PlatformLimit> | undefined
}

/** Limits in milliseconds: until a ping is answered, for all its work, and for one call of it. */
export interface Limits {
  readonly answerMs: number
  readonly workMs: number
  readonly callMs: number
}

/** `own` is the context of this request, as far as it differs. */
export type Handler = (
  request: Request,
  caller: Caller,
  context?: Partial<HandlerContext>,
) => Promise<Response>

/**
 * inadyn waits 10 seconds for an answer. With a round trip of two seconds, a list takes six on a new connection, and a write
 * two: the work ends after the answer. A Worker is kept for 30 seconds after it.
 */
const usualLimits: Limits = { answerMs: 8000, workMs: 16_000, callMs: 6500 }
/** How often a ping looks whether an earlier one has ended. A request of a Worker cannot await another. */
const pollMs = 50
const retryAfterSeconds = 60
/** The first wrong password of one network in a minute that is not answered with 401. */
const limitedWrong = 21

/**
 * Creates the endpoint. A request is answered within eight seconds, whatever the DNS service does. Work that takes longer
 * still ends, and the next request finds its result. There is no I/O but through the context.
 */
export function createHandler(settings: PushSettings, fixed: HandlerContext): Handler {
  maskSecrets([settings.apiToken])
  const reads = createReads(fixed.clock.now, settings.hosts)
  // Of wrong passwords. A right one, which can come from the same address, is never delayed.
  const limiter = createNetworkLimit(limitedWrong, fixed.clock.now, fixed.platformLimit)
  return async (request, caller, own) => {
    const context = { ...fixed, ...own }
    const arrival = reads.arrive()
    const path = pathOf(request)
    if (path === '/health') return plain(200, 'up\n')
    if (!updatePaths.includes(path)) return plain(404, 'Routers call /nic/update.\n')
    if (request.method !== 'GET' && request.method !== 'POST')
      return plain(405, 'Use GET or POST.\n', { Allow: 'GET, POST' })
    const parameters = await readParameters(request)
    const password = passwordOf(request, parameters, settings.queryPasswords)
    if (!caller.secure && !settings.plainHttp) {
      const isSent = request.headers.has('authorization') || parameters.has('password')
      context.log({ level: 'warning', event: 'plain-http', message: isSent ? disclosed : unsent })
      // With Basic, the client would send its password now, where others can read it.
      if (!isSent) return plain(401, 'badauth\n', { 'WWW-Authenticate': 'TLS realm="Homeport"' })
      return answer([{ word: 'badauth' }])
    }
    if (password === null) return answer([{ word: 'badauth' }])
    const hosts = await hostsOf(password, settings.hosts)
    const names = readNames(parameters)
    const isTheirs = (name: string | null) => hosts.some(host => host.name === name)
    const validNames = 'value' in names ? names.value.filter(name => name !== null) : []
    if (hosts.length === 0) return refuse(caller, limiter, context)
    const others = validNames.filter(name => !isTheirs(name))
    if (others.length > 0) logOthers(others, hosts, password, context)
    // If no name can be read, any valid password is enough to learn that.
    if (validNames.length > 0 && !validNames.some(isTheirs)) return answer([{ word: 'badauth' }])
    const isUnread =
      request.body !== null && !request.bodyUsed && request.headers.get('content-length') !== '0'
    if ('problem' in names) return answer([isUnread ? unread : { word: names.problem }])
    const network = { isFirst: hasFirstNetwork(request), isUsed: settings.hosts.some(({ suffix }) => suffix) }
    // What was not read can have another address.
    const address = isUnread ? null : caller.address
    const updates = hosts
      .filter(({ name }) => validNames.includes(name))
      .map(host => {
        const addresses = readAddresses(parameters, address, host.suffix ?? null, network)
        return planHostUpdate(settings, host, addresses)
      })
    const turn = reads.begin(
      updates.flatMap(({ wanted }) => wanted),
      arrival,
    )
    const working = updateAll(updates, turn, settings, context)
    const reporting = working.then(results => report(names.value, results, settings, context))
    context.keepAlive?.(reporting)
    const answered = new AbortController()
    const { answerMs } = context.limits ?? usualLimits
    const late = context.clock.sleep(answerMs, answered.signal).then((): readonly Result[] => [])
    const results = await Promise.race([working, late])
    answered.abort()
    return answer(
      names.value.map((name): Line => {
        if (name === null) return { word: 'notfqdn' }
        if (!isTheirs(name)) return { word: 'nohost' }
        return results.find(result => result.name === name)?.line ?? { word: '911' }
      }),
      Math.max(0, ...results.map(({ waitSeconds }) => waitSeconds)) || retryAfterSeconds,
    )
  }
}

const unread: Line = { word: 'dnserr', text: 'Send hostname and myip in the query, or as a form.' }
const unsent = 'A client came by plain http, and was refused before it sent its password. Set it to https.'
const disclosed =
  'A password came by plain http, where others can read it, and was refused. Set the client to https and change the password.'

/** Updates the hosts once earlier pings for their records have ended, or had their time. */
async function updateAll(
  updates: readonly HostUpdate[],
  turn: Turn,
  { baseUrl, apiToken: token }: PushSettings,
  { clock, exchange, log, limits = usualLimits }: HandlerContext,
): Promise<readonly Result[]> {
  const { workMs, callMs } = limits
  const untilMs = clock.now() + workMs
  while (turn.mustWait() && clock.now() < untilMs) await clock.sleep(pollMs)
  const api = openDnsApi({ baseUrl, token }, exchange, startDeadline(workMs, clock, callMs), clock)
  try {
    return await updateHosts(updates, turn, api)
  } catch (error) {
    log({ level: 'error', event: 'ping', ...unhandledError(error) })
    return updates.map(({ name }) => ({ name, line: { word: '911' }, records: [], waitSeconds: 0 }))
  }
}

/**
 * Returns the hosts that a password is for; none for an empty one, whose hash a mistake can put into HOSTS. Compares it with every
 * hash, so that no name can be told by the time it takes.
 */
async function hostsOf(password: string, hosts: readonly Host[]): Promise<readonly Host[]> {
  if (password === '') return []
  const hash = await hashPassword(password)
  return hosts.filter(({ hashes }) => hashes.filter(other => isEqual(hash, other)).length > 0)
}

/** Compares every character of two hashes, wherever the first difference is. */
function isEqual(one: string, other: string): boolean {
  return [...one].reduce((sum, _, place) => sum | (one.charCodeAt(place) ^ other.charCodeAt(place)), 0) === 0
}

/** Logs names that a right password is not for, such as that of the endpoint itself. */
function logOthers(
  others: readonly string[],
  hosts: readonly Host[],
  password: string,
  { log }: HandlerContext,
): void {
  // A password can be in the field of the name, too. Names are in lower case.
  const masked = others.join(', ').replaceAll(password.toLowerCase(), '***')
  const [asked, theirs] = [quote(maskPasswords(masked)), quote(hosts.map(({ name }) => name).join(', '))]
  const message = `The password is right, but not for ${asked}. Set the hostname in the router to ${theirs}.`
  log({ level: 'warning', event: 'wrong-name', message })
}

/** Answers a wrong password: a network that sent too many must wait. */
async function refuse(
  { address }: Caller,
  limiter: NetworkLimit,
  { log }: HandlerContext,
): Promise<Response> {
  const network = address === null ? 'unknown' : networkOf(address)
  await limiter.count(network)
  const waitSeconds = limiter.waitSeconds(network)
  log({ level: 'warning', event: 'wrong-password', caller: address, limited: waitSeconds > 0 })
  return waitSeconds > 0 ? answer([{ word: '911' }], waitSeconds) : answer([{ word: 'badauth' }])
}

/** Logs what happened, sends a message about changes, and notifies the monitor of a ping that succeeded for all names. */
async function report(
  names: readonly (string | null)[],
  results: readonly Result[],
  { heartbeatUrl, notifyUrl, notifyFormat: format }: PushSettings,
  { log, exchange }: HandlerContext,
): Promise<void> {
  const right = new Set(results.filter(({ line }) => isRight(line)).map(({ name }) => name))
  const isAllRight = names.every(name => name !== null && right.has(name))
  const records = results.flatMap(result => result.records)
  const problems = records.flatMap(({ problem }) =>
    problem ? { reason: problem.reason, message: wordProblem(problem) } : [],
  )
  const lines = results.map(({ name, line: { word, text } }) =>
    [name, word, ...(word === 'dnserr' ? [text] : [])].join(' '),
  )
  const level = isAllRight ? 'info' : 'warning'
  const limited = results.some(({ waitSeconds }) => waitSeconds > 0)
  log({ level, event: 'ping', lines, ...(problems.length > 0 && { problems }), ...(limited && { limited }) })
  async function warn(event: string, warnings: Promise<readonly string[]>): Promise<void> {
    for (const message of await warnings) log({ level: 'warning', event, message })
  }
  const beat = (url: string) =>
    tell(exchange, { method: 'GET', url, headers: {} }, 'The monitor did not accept a heartbeat')
  // A service that hangs delays no other.
  await Promise.all([
    notifyUrl !== null && warn('notify', notify({ url: notifyUrl, format }, records, exchange)),
    heartbeatUrl !== null && isAllRight && warn('heartbeat', beat(heartbeatUrl)),
  ])
}
