import { apiPath, type Envelope, parseEnvelope } from '../../lib/cloudflare.ts'
import {
  type Exchange,
  explainFailure,
  type HttpFailure,
  type HttpOutcome,
  type HttpRequest,
} from '../../lib/exchange.ts'
import { getOrCreate } from '../../lib/get-or-create.ts'
import { frontAdvice } from '../../lib/in-front.ts'
import { createLimit } from '../concurrency.ts'
import type { Clock, Deadline } from '../deadline.ts'
import type { Problem, Reason } from '../problem.ts'
import { isRateLimit, parseRecord } from './envelope.ts'
import { createGate, createPace, createTokenCheck } from './limits.ts'
import {
  type Attempt,
  describeResponse,
  explainErrors,
  failedTo,
  isTokenRejected,
  rateLimited,
} from './problems.ts'
import type { DnsRecord, RecordBody, ZonedTarget } from './record.ts'

/** The envelope that was read, or why there is none. */
export type Read = { readonly value: Envelope } | { readonly problem: Problem; readonly isTooLarge?: true }

/** Why a request has no usable response. `what` happened is safe to print. */
type Failure = { readonly problem: Problem; readonly what: string } & (
  | { readonly kind: 'refused'; readonly isTokenRejected?: boolean }
  /** The rate limiter refused, or would have. `retryAfterMs` is null if it did not say how long. */
  | { readonly kind: 'limited'; readonly isSent: boolean; readonly retryAfterMs: number | null }
  /** There is no response, or none to trust, so a write may have happened. */
  | {
      readonly kind: 'unknown'
      /** Whether the same request would fail alike. */
      readonly isFinal?: boolean
      /** Why no response arrived; null if one did. */
      readonly cause: HttpFailure['cause'] | null
      readonly retryAfterMs: number | null
    }
)

/** The record as Cloudflare says that it was written, or why that is not known. Nothing that was refused was written. */
export type WriteOutcome = { readonly kind: 'answered'; readonly record: DnsRecord } | Failure

/** Of one zone. Enough to hide the delay of the network, and far below the limit of 200 requests per second and address. */
const maxConcurrentWrites = 4
const maxReads = 3
/** Waits for the rate limit before one request. */
const maxWaits = 4
const maxResponseBytes = 1024 * 1024
/** Limits of the random waits before the second and the third read, and as shares of the time of a call. */
const maxWaitsMs = [500, 1000] as const
const maxWaitShares = [0.1, 0.2] as const

/** Where the API is, what every request to it needs, and what the round has learned about it. */
export type DnsApi = Readonly<ReturnType<typeof openDnsApi>>

/**
 * Starts a round's use of Cloudflare.
 * @param baseUrl root of the API, without a slash at the end
 */
export function openDnsApi(
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  exchange: Exchange,
  deadline: Deadline,
  clock: Clock,
) {
  const tokenCheck = createTokenCheck()
  const pace = createPace(clock)
  const gate = createGate()
  const limits = new Map<string, ReturnType<typeof createLimit>>()
  /** Returns the queue for the writes of a zone, which starts a few at a time. */
  const writesOf = (zoneId: string) => getOrCreate(limits, zoneId, () => createLimit(maxConcurrentWrites))
  return { baseUrl, token, exchange, deadline, clock, tokenCheck, pace, gate, writesOf }
}

/**
 * Reads a path below the root of the API. Makes at most three attempts, does not repeat a request that was refused, and
 * sends nothing once the token was rejected.
 */
export async function readPath(
  api: DnsApi,
  path: string,
  attempt: Attempt,
  maxBytes = maxResponseBytes,
): Promise<Read> {
  const { deadline, clock, tokenCheck } = api
  let last: Problem | null = null
  /** An error of the system. It says more than that time ran out, or that a later attempt got no response. */
  let broken: Problem | null = null
  const readOnce = async (read: number): Promise<Read | { readonly waitMs: number }> => {
    const rejection = tokenCheck.rejection()
    if (rejection) return { problem: rejection }
    const remainingMs = deadline.remainingMs()
    if (remainingMs <= 0) return { problem: broken ?? deadlinePassed(attempt, last) }
    const response = await send(api, attempt, { method: 'GET', path, maxBytes }, remainingMs)
    if (response.kind === 'limited' && !response.isSent) return { problem: response.problem }
    if (response.kind === 'unknown' && response.cause === 'too-large')
      return { problem: response.problem, isTooLarge: true }
    if (response.kind === 'answered') return { value: response.envelope }
    if (response.kind === 'refused') return { problem: response.problem }
    last = response.problem
    if (response.kind === 'limited' || response.cause === null) broken = null
    else if (response.cause !== 'timeout') broken = last
    const { retryAfterMs } = response
    const maxWaitMs = Math.min(maxWaitsMs[read - 1] ?? 0, (maxWaitShares[read - 1] ?? 0) * deadline.callMs)
    const waitMs = retryAfterMs ?? clock.random() * maxWaitMs
    if (read === maxReads || waitMs >= deadline.remainingMs()) {
      const outOfTime = read < maxReads && retryAfterMs === null
      return { problem: broken ?? (outOfTime ? deadlinePassed(attempt, last) : last) }
    }
    return { waitMs }
  }
  for (let read = 1; ; read++) {
    const done = await api.gate(() => readOnce(read))
    if (!('waitMs' in done)) return done
    await clock.sleep(done.waitMs)
  }
}

/**
 * Replaces a record with one PUT, or creates one with one POST, never repeated here. `timeoutMs` is what the caller can spare
 * and still read the record back. Cloudflare overwrites the whole record, so the body must contain everything that is to stay.
 * @param recordId null to create a record
 */
export async function sendRecord(
  api: DnsApi,
  { zoneId, hostname }: ZonedTarget,
  recordId: string | null,
  body: RecordBody,
  timeoutMs: number,
): Promise<WriteOutcome> {
  const [method, does, path] = recordId
    ? (['PUT', 'update', `/${recordId}`] as const)
    : (['POST', 'create', ''] as const)
  const request = { method, path: `${recordsPath(zoneId)}${path}`, body: JSON.stringify(body) }
  const response = await send(api, { what: `${does} ${hostname}`, zoneId, writes: true }, request, timeoutMs)
  if (response.kind !== 'answered') return response
  const record = parseRecord(response.envelope.result)
  return record ? { kind: 'answered', record } : response.unreadable
}

/** What a request brought: an envelope, and what it means if it contains something else than it should. */
type Response =
  | { readonly kind: 'answered'; readonly envelope: Envelope; readonly unreadable: Failure }
  | Failure

/**
 * Sends a request with the token, which leaves the process only here, as soon as the rate limit allows it. Every method
 * needs the same headers.
 */
async function send(
  api: DnsApi,
  attempt: Attempt,
  { path, ...request }: Pick<HttpRequest, 'method' | 'body'> & { readonly path: string; maxBytes?: number },
  timeoutMs: number,
): Promise<Response> {
  const { exchange, deadline, clock, pace, tokenCheck } = api
  const endMs = clock.now() + timeoutMs
  // Another response can lengthen the wait, and a timer can end a millisecond early.
  for (let waits = 0; waits < maxWaits; waits++) {
    const waitMs = pace.waitMs()
    if (waitMs > 0 && clock.now() + waitMs < endMs) await clock.sleep(waitMs)
  }
  // There was no time to wait, or the waits ended early because the run was asked to stop.
  const retryAfterMs = pace.waitMs()
  if (retryAfterMs > 0) {
    const what = `the rate limit allows no more requests for ${Math.ceil(retryAfterMs / 1000)} s`
    return { kind: 'limited', isSent: false, problem: rateLimited(attempt, what), what, retryAfterMs }
  }
  const outcome = await pace.track(
    exchange({
      maxBytes: maxResponseBytes,
      ...request,
      url: `${api.baseUrl}${apiPath}/${path}`,
      headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
      timeoutMs: Math.min(deadline.callMs, endMs - clock.now()),
    }),
  )
  const response = readResponse(outcome, attempt)
  if (response.kind === 'answered') tokenCheck.accepted()
  else if (response.kind === 'refused' && response.isTokenRejected) tokenCheck.rejected(response.problem)
  return response
}

function readResponse(outcome: HttpOutcome, attempt: Attempt): Response {
  if (outcome.kind === 'failure') {
    const { cause } = outcome
    const what = explainFailure(outcome)
    const problem = failedTo(attempt, 'service-unavailable', what)
    const reason = lastingFailures[cause]
    if (reason) return { kind: 'refused', problem: { ...problem, reason }, what }
    return { kind: 'unknown', problem, what, cause, retryAfterMs: null }
  }
  const { status, body, retryAfterMs } = outcome
  const envelope = parseEnvelope(body)
  const errors = envelope?.errors ?? []
  const unknown = (what: string, problem = failedTo(attempt, 'service-unavailable', what)) => {
    return { kind: 'unknown' as const, problem, what, cause: null, retryAfterMs }
  }
  const found = body === '' ? 'an empty body' : 'something other than its JSON envelope'
  const unreadable = unknown(`Cloudflare returned ${status} with ${found}`)
  if (status < 300 && errors.length === 0 && envelope?.success !== false) {
    return envelope ? { kind: 'answered', envelope, unreadable } : unreadable
  }
  const what = describeResponse(status, errors)
  if (isRateLimit(status, errors)) {
    return { kind: 'limited', isSent: true, problem: rateLimited(attempt, what), what, retryAfterMs }
  }
  if (outcome.isFromFront) {
    const refusal = `Cloudflare returned ${status} with a web page`
    const problem = failedTo(attempt, 'service-unavailable', refusal, `${frontAdvice}.`)
    if (!attempt.writes) return { kind: 'refused', problem, what: refusal }
    return { ...unknown(refusal, problem), isFinal: true }
  }
  if (status < 300 && envelope?.success) return { kind: 'answered', envelope, unreadable }
  if (status >= 300 && status < 400) {
    if (attempt.writes) return unreadable
    const advice =
      'Homeport does not follow it, because that would send the token along. Look for a captive portal or a proxy.'
    const problem = failedTo(attempt, 'unexpected', 'Cloudflare returned a redirect', advice, 'base-url')
    return { kind: 'refused', problem, what }
  }
  const problem = explainErrors(status, errors, attempt)
  if (status >= 500) return unknown(what, problem)
  // A write whose status says success and whose body says failure: only reading the record shows which is true.
  if (status < 400 && attempt.writes) return unknown(`${what}, without success`)
  return { kind: 'refused', problem, what, isTokenRejected: isTokenRejected(status, errors) }
}

/** Returns the path of a zone's records below the root of the API. */
export function recordsPath(zoneId: string): string {
  return `zones/${zoneId}/dns_records`
}

/** Failures before anything was sent, which every other attempt would repeat. */
const lastingFailures: Readonly<Partial<Record<HttpFailure['cause'], Reason>>> = {
  proxy: 'proxy-rejected',
  untrusted: 'tls-untrusted',
}

function deadlinePassed(attempt: Attempt, last: Problem | null): Problem {
  const again = last ? ` again. ${last.message}` : '.'
  return {
    reason: 'deadline',
    message: `No time was left to ${attempt.what}${again}`,
    setting: 'timeout',
  }
}
