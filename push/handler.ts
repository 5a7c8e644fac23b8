import { mapConcurrently } from '../action/concurrency.ts'
import { type Clock, startDeadline } from '../action/deadline.ts'
import type { Exchange } from '../action/exchange.ts'
import { notify } from '../action/notify.ts'
import { type Reading, unhandledError } from '../action/problem.ts'
import { openDnsApi } from '../action/records/dns-api.ts'
import { sendOnce } from '../action/send-once.ts'
import { maskSecrets } from '../action/text/redact.ts'
import { answer, isRight, joinLines, type Line, plain } from './answers.ts'
import type { Host } from './hosts.ts'
import type { Limiter } from './limiter.ts'
import { hashPassword } from './passwords.ts'
import {
  type Addresses,
  type Caller,
  passwordOf,
  pathOf,
  readAddresses,
  readNames,
  readParameters,
  updatePaths,
} from './protocol.ts'
import type { PushSettings } from './settings.ts'
import { type Outcome, updateHost } from './update.ts'
import { inSettings } from './wording.ts'

/** One line of the log: safe to print. */
export type Entry = { readonly level: 'info' | 'warning' | 'error' } & Readonly<Record<string, unknown>>

/** Runs work for a name after other work for it has ended. */
export type Queue = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

/** What the handler can use. */
export interface HandlerContext {
  readonly exchange: Exchange
  readonly clock: Clock
  readonly limiter: Limiter
  readonly queue: Queue
  readonly log: (entry: Entry) => void
  /** Keeps the process or the Worker's instance until the work has ended. The answer does not wait for it. */
  readonly keepAlive: (work: Promise<void>) => void
}

export type Handler = (
  request: Request,
  caller: Caller,
  context?: Partial<HandlerContext>,
) => Promise<Response>

/** inadyn waits 10 seconds for an answer. All requests to the DNS service end before. */
const answerMs = 8000
const workMs = 7500
const maxConcurrentNames = 4

/** A name of a request: what it is answered with, and what happened to its records. */
interface Result {
  readonly host: Host
  readonly line: Line
  readonly outcomes: readonly Outcome[]
}

/**
 * Creates the endpoint. A request is answered within eight seconds, whatever the DNS service does. Work that takes longer
 * still ends, and the next request finds its result. There is no I/O but through the context.
 */
export function createHandler(settings: PushSettings, fixed: HandlerContext): Handler {
  maskSecrets([settings.apiToken])
  return async (request, caller, own) => {
    const context = { ...fixed, ...own }
    const path = pathOf(request)
    if (path === '/health') return plain(200, 'up\n')
    if (!updatePaths.includes(path)) return plain(404, 'Routers call /nic/update.\n')
    if (request.method !== 'GET' && request.method !== 'POST')
      return plain(405, 'Use GET or POST.\n', { Allow: 'GET, POST' })
    const parameters = await readParameters(request)
    const password = passwordOf(request, parameters, settings.queryPasswords)
    if (password === null) return answer([{ word: 'badauth' }])
    if (!caller.secure && !settings.plainHttp) {
      context.log({ level: 'warning', event: 'plain-http', message: disclosed })
      return answer([{ word: 'badauth' }])
    }
    const fitting = await hostsOf(password, settings.hosts)
    const names = readNames(parameters)
    const isAllowed =
      'problem' in names
        ? fitting.length > 0
        : names.value.some(name => fitting.some(host => host.name === name)) ||
          (fitting.length > 0 && names.value.every(name => name === null))
    if (!isAllowed) return refuse(caller, context)
    if ('problem' in names) return answer([{ word: names.problem }])
    const addresses = readAddresses(parameters, caller.address, settings.ipv6Suffix)
    const results = await update(names.value, fitting, addresses, settings, context)
    return answer(
      names.value.map((name): Line => {
        if (name === null) return { word: 'notfqdn' }
        if (!fitting.some(host => host.name === name)) return { word: 'nohost' }
        return results.find(({ host }) => host.name === name)?.line ?? { word: '911' }
      }),
    )
  }
}

/** Updates the named hosts, each apart. Returns no result if they take too long. */
async function update(
  names: readonly (string | null)[],
  hosts: readonly Host[],
  addresses: Reading<Addresses, string>,
  settings: PushSettings,
  context: HandlerContext,
): Promise<readonly Result[]> {
  const { clock, exchange, queue, log } = context
  const { baseUrl, apiToken: token } = settings
  const api = openDnsApi({ baseUrl, token }, exchange, startDeadline(workMs, clock), clock)
  const answered = new AbortController()
  const tooLate = clock.sleep(answerMs, answered.signal).then(() => [])
  const wanted = hosts.filter(({ name }) => names.includes(name))
  const working = mapConcurrently(wanted, maxConcurrentNames, async (host): Promise<Result> => {
    const sentence = 'problem' in addresses ? addresses.problem : whyNone(host, addresses.value)
    const given = 'problem' in addresses ? {} : addresses.value
    if (sentence !== null) return { host, line: { word: 'dnserr', text: sentence }, outcomes: [] }
    try {
      const outcomes = await queue(host.name, () => updateHost(settings, host, given, api))
      return { host, line: joinLines(outcomes.map(({ line }) => line)), outcomes }
    } catch (error) {
      log({ level: 'error', event: 'ping', ...unhandledError(error) })
      return { host, line: { word: '911' }, outcomes: [] }
    }
  })
  context.keepAlive(working.then(results => report(names, results, settings, context)))
  const results = await Promise.race([working, tooLate])
  answered.abort()
  return results
}

const disclosed =
  'A password came by plain http, where others can read it, and was refused. Set the client to https and change the password.'

/** Returns the hosts that a password is for. Compares it with every hash, so that no name can be told by the time it takes. */
async function hostsOf(password: string, hosts: readonly Host[]): Promise<readonly Host[]> {
  const hash = await hashPassword(password)
  const fits = hosts.map(({ hashes }) => hashes.map(other => isEqual(hash, other)))
  return hosts.filter((_, index) => fits[index]?.includes(true))
}

/** Compares every character, wherever the first difference is. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let place = 0; place < one.length; place++)
    difference |= one.charCodeAt(place) ^ other.charCodeAt(place)
  return difference === 0
}

/** Answers a wrong password: a network that sent too many is to wait. */
async function refuse({ address }: Caller, { limiter, log }: HandlerContext): Promise<Response> {
  const waitSeconds = await limiter.count(address)
  log({ level: 'warning', event: 'wrong-password', caller: address, limited: waitSeconds > 0 })
  return waitSeconds > 0 ? answer([{ word: '911' }], waitSeconds) : answer([{ word: 'badauth' }])
}

/** Returns why there is no address for any record of a host, or null if there is one. */
function whyNone({ types }: Host, addresses: Addresses): string | null {
  if (types.some(type => addresses[type] !== undefined)) return null
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}

/** Logs what happened, sends a message about changes, and tells the monitor of a ping whose names are all right. */
async function report(
  names: readonly (string | null)[],
  results: readonly Result[],
  { heartbeatUrl, notifyUrl, notifyFormat }: PushSettings,
  { log, exchange }: HandlerContext,
): Promise<void> {
  const right = results.filter(({ line }) => isRight(line)).map(({ host }) => host.name)
  const isAllRight = names.every(name => name !== null && right.includes(name))
  const found = results.flatMap(({ outcomes }) => outcomes.flatMap(({ problem }) => problem ?? []))
  const problems = found.map(({ reason, message }) => ({ reason, message: inSettings(message) }))
  log({
    level: isAllRight ? 'info' : 'warning',
    event: 'ping',
    lines: results.map(({ host, line }) => `${host.name} ${line.word}`),
    ...(problems.length > 0 && { problems }),
  })
  const changes = results.flatMap(({ outcomes }) => outcomes.flatMap(({ change }) => change ?? []))
  const to = notifyUrl === null ? null : { url: notifyUrl, format: notifyFormat }
  for (const message of await notify(to, changes, exchange))
    log({ level: 'warning', event: 'notify', message })
  if (!isAllRight || heartbeatUrl === null) return
  const refusal = await sendOnce(exchange, { method: 'GET', url: heartbeatUrl, headers: {} })
  const message = `The monitor did not accept a heartbeat: ${refusal}. The records are not affected.`
  if (refusal !== null) log({ level: 'warning', event: 'heartbeat', message })
}
