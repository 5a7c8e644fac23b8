import type { Clock, Deadline } from '../deadline.ts'
import {
  type Exchange,
  explainFailure,
  type HttpFailure,
  type HttpOutcome,
  type HttpRequest,
  type HttpResponse,
} from '../exchange.ts'
import type { Problem, Reason } from '../problem.ts'
import { type Envelope, isRateLimit, parseEnvelope, parseRecord } from './envelope.ts'
import {
  type Breaker,
  createBreaker,
  createGate,
  createPace,
  type Gate,
  type Pace,
  type Scope,
} from './limits.ts'
import { type Attempt, describeResponse, explainErrors, rateLimited, scopeOf } from './problems.ts'
import type { DnsRecord, RecordBody, ZonedTarget } from './record.ts'

/** Where the API is, what every request to it needs, and what the round has learned about it. */
export interface DnsApi {
  /** Root of the API, without a slash at the end. */
  readonly baseUrl: string
  readonly token: string
  readonly exchange: Exchange
  readonly deadline: Deadline
  readonly clock: Clock
  readonly breaker: Breaker
  readonly pace: Pace
  /** Lets the first request of the round go alone. */
  readonly gate: Gate
  /** What failed when it was last tried: IDs of zones, and records by type and hostname. Outlives the round. */
  readonly failedLast: Set<string>
}

export type Read =
  | { readonly kind: 'read'; readonly envelope: Envelope }
  | { readonly kind: 'too-large'; readonly problem: Problem }
  | { readonly kind: 'failed'; readonly problem: Problem }

export type WriteOutcome =
  | { readonly kind: 'answered'; readonly record: DnsRecord }
  /** Cloudflare refused, so this attempt wrote nothing. `what` it returned is safe to print. */
  | { readonly kind: 'refused'; readonly problem: Problem; readonly what: string; readonly scope: Scope }
  /** The rate limiter refused, or would have. `retryAfterMs` is null if it did not say how long. */
  | { readonly kind: 'limited'; readonly problem: Problem; readonly retryAfterMs: number | null }
  /** There is no response, or none to trust, so the write may have happened. `what` is safe to print. */
  | { readonly kind: 'unknown'; readonly what: string; readonly retryAfterMs: number | null }

/** A request that was not sent: the rate limit starts over only after the time that the caller has. */
interface Withheld {
  readonly kind: 'withheld'
  readonly waitMs: number
}

const maxReads = 3
/** Waits for the rate limit before one request. */
const maxWaits = 4
const maxResponseBytes = 1024 * 1024
/** Limits of the random waits before the second and the third read. */
const maxWaitsMs = [500, 1000] as const

/** Starts a round's use of Cloudflare. */
export function openDnsApi(
  { baseUrl, token }: Pick<DnsApi, 'baseUrl' | 'token'>,
  exchange: Exchange,
  deadline: Deadline,
  clock: Clock,
  failedLast = new Set<string>(),
): DnsApi {
  const [breaker, pace, gate] = [createBreaker(), createPace(clock), createGate()]
  return { baseUrl, token, exchange, deadline, clock, breaker, pace, gate, failedLast }
}

/**
 * Reads a path below the root of the API. Makes at most three attempts, does not repeat a request that was refused, and
 * sends nothing once the breaker is open.
 */
export async function readPath(
  api: DnsApi,
  path: string,
  attempt: Attempt,
  maxBytes = maxResponseBytes,
): Promise<Read> {
  const { deadline, clock, breaker, failedLast } = api
  const { zoneId } = attempt
  const failed = (problem: Problem, scope: Scope): Read => {
    breaker.failed('read', zoneId, problem, scope)
    return { kind: 'failed', problem }
  }
  let last: Problem | null = null
  const readOnce = async (
    read: number,
  ): Promise<Read | { readonly kind: 'retry'; readonly waitMs: number }> => {
    const open = breaker.openFor(zoneId)
    if (open) return { kind: 'failed', problem: open }
    const remainingMs = deadline.remainingMs()
    if (remainingMs <= 0) return failed(deadlinePassed(attempt, last), 'service')
    const outcome = await send(api, { method: 'GET', path, maxBytes }, remainingMs)
    if (outcome.kind === 'withheld') return failed(rateLimited(attempt, describeLimit(outcome)), 'service')
    if (zoneId !== null) failedLast.add(zoneId)
    if (outcome.kind === 'failure' && outcome.cause === 'too-large') {
      breaker.succeeded('read', zoneId)
      return { kind: 'too-large', problem: unavailable(attempt, outcome.detail) }
    }
    const response = readResponse(outcome, attempt)
    if (response.kind === 'read') {
      breaker.succeeded('read', zoneId)
      if (zoneId !== null) failedLast.delete(zoneId)
      return response
    }
    if (response.kind === 'refused') return failed(response.problem, response.scope)
    last = response.problem
    const retryAfterMs = outcome.kind === 'response' ? outcome.retryAfterMs : null
    const waitMs = retryAfterMs ?? clock.random() * (maxWaitsMs[read - 1] ?? 0)
    if (read === maxReads || waitMs >= deadline.remainingMs()) {
      const outOfTime = read < maxReads && retryAfterMs === null
      return failed(outOfTime ? deadlinePassed(attempt, last) : last, 'service')
    }
    return { kind: 'retry', waitMs }
  }
  for (let read = 1; ; read++) {
    const done = await api.gate(() => readOnce(read))
    if (done.kind !== 'retry') return done
    await clock.sleep(done.waitMs)
  }
}

/**
 * Returns the API with less time for a zone once another has been read: its list may not take the time that a write
 * to the other and its read-back need.
 */
export function leavingTimeToWrite(api: DnsApi, zoneId: string): DnsApi {
  const { deadline, breaker } = api
  const reservedMs = () => (breaker.worksElsewhere(zoneId) ? 2 * deadline.callMs : 0)
  const remainingMs = () => Math.max(0, deadline.remainingMs() - reservedMs())
  return { ...api, deadline: { ...deadline, remainingMs } }
}

function readResponse(
  outcome: HttpOutcome,
  attempt: Attempt,
):
  | { readonly kind: 'read'; readonly envelope: Envelope }
  | { readonly kind: 'refused'; readonly problem: Problem; readonly scope: Scope }
  | { readonly kind: 'retry'; readonly problem: Problem } {
  if (outcome.kind === 'failure') {
    const problem = unavailable(attempt, explainFailure(outcome))
    const reason = lastingFailures[outcome.cause]
    return reason
      ? { kind: 'refused', problem: { ...problem, reason }, scope: 'service' }
      : { kind: 'retry', problem }
  }
  if (isRedirect(outcome)) return { kind: 'refused', problem: redirected(attempt), scope: 'service' }
  const { status } = outcome
  const envelope = parseEnvelope(outcome.body)
  const errors = envelope?.errors ?? []
  if (isRateLimit(status, errors)) {
    return { kind: 'retry', problem: rateLimited(attempt, describeResponse(status, errors)) }
  }
  if (status >= 500) return { kind: 'retry', problem: explainErrors(status, errors, attempt) }
  if (status >= 400 || envelope?.success === false) {
    const problem = explainErrors(status, errors, attempt)
    return { kind: 'refused', problem, scope: scopeOf(status, errors) }
  }
  if (!envelope) return { kind: 'retry', problem: unavailable(attempt, describeBody(outcome)) }
  return { kind: 'read', envelope }
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
  const outcome = await send(api, request, timeoutMs)
  return readWrite(outcome, { what: `${does} ${hostname}`, zoneId, writes: true })
}

function readWrite(outcome: HttpOutcome | Withheld, attempt: Attempt): WriteOutcome {
  if (outcome.kind === 'withheld') {
    const problem = rateLimited(attempt, describeLimit(outcome))
    return { kind: 'limited', problem, retryAfterMs: outcome.waitMs }
  }
  if (outcome.kind === 'failure') {
    const what = explainFailure(outcome)
    const reason = lastingFailures[outcome.cause]
    if (!reason) return { kind: 'unknown', what, retryAfterMs: null }
    return { kind: 'refused', problem: { ...unavailable(attempt, what), reason }, what, scope: 'service' }
  }
  const { status, retryAfterMs } = outcome
  const envelope = parseEnvelope(outcome.body)
  const errors = envelope?.errors ?? []
  const what = describeResponse(status, errors)
  if (isRateLimit(status, errors)) {
    return { kind: 'limited', problem: rateLimited(attempt, what), retryAfterMs }
  }
  if (status >= 500) return { kind: 'unknown', what, retryAfterMs }
  if (status >= 400) {
    const problem = explainErrors(status, errors, attempt)
    return { kind: 'refused', problem, what, scope: scopeOf(status, errors) }
  }
  // The status says success and the body says failure: only reading the record shows which is true.
  if (envelope?.success === false) return { kind: 'unknown', what: `${what}, without success`, retryAfterMs }
  const record = envelope ? parseRecord(envelope.result) : null
  if (isRedirect(outcome) || !record) return { kind: 'unknown', what: describeBody(outcome), retryAfterMs }
  return { kind: 'answered', record }
}

/**
 * Sends a request with the token, which leaves the process only here, as soon as the rate limit allows it. Every method
 * needs the same headers.
 */
async function send(
  api: DnsApi,
  { path, ...request }: Pick<HttpRequest, 'method' | 'body'> & { readonly path: string; maxBytes?: number },
  timeoutMs: number,
): Promise<HttpOutcome | Withheld> {
  const { exchange, deadline, clock, pace } = api
  const endMs = clock.now() + timeoutMs
  // Another response can lengthen the wait, and a timer can end a millisecond early.
  for (let waits = 0; waits < maxWaits; waits++) {
    const waitMs = pace.waitMs()
    if (waitMs > 0 && clock.now() + waitMs < endMs) await clock.sleep(waitMs)
  }
  // There was no time to wait, or the waits ended early because the run was asked to stop.
  if (pace.waitMs() > 0) return { kind: 'withheld', waitMs: pace.waitMs() }
  return pace.track(
    exchange({
      maxBytes: maxResponseBytes,
      ...request,
      url: `${api.baseUrl}/client/v4/${path}`,
      headers: { Authorization: `Bearer ${api.token}`, 'Content-Type': 'application/json' },
      timeoutMs: Math.min(deadline.callMs, endMs - clock.now()),
    }),
  )
}

/** Returns the path of a zone's records below the root of the API. */
export function recordsPath(zoneId: string): string {
  return `zones/${zoneId}/dns_records`
}

function isRedirect(response: HttpResponse): boolean {
  return response.status >= 300 && response.status < 400
}

/** Failures before anything was sent, which every other attempt would repeat. */
const lastingFailures: Readonly<Partial<Record<HttpFailure['cause'], Reason>>> = {
  proxy: 'proxy-rejected',
  untrusted: 'tls-untrusted',
}

function unavailable(attempt: Attempt, what: string): Problem {
  return { reason: 'service-unavailable', message: `Failed to ${attempt.what}: ${what}.` }
}

function redirected(attempt: Attempt): Problem {
  return {
    reason: 'unexpected',
    message:
      `Failed to ${attempt.what}: Cloudflare returned a redirect. Homeport does not follow it, because that would send ` +
      'the token along. Look for a captive portal or a proxy.',
    setting: 'base-url',
  }
}

function describeBody({ status, body }: HttpResponse): string {
  const found = body === '' ? 'an empty body' : 'something other than its JSON envelope'
  return `Cloudflare returned ${status} with ${found}`
}

function describeLimit({ waitMs }: Withheld): string {
  return `the rate limit allows no more requests for ${Math.ceil(waitMs / 1000)} s`
}

function deadlinePassed(attempt: Attempt, last: Problem | null): Problem {
  const again = last ? ` again. ${last.message}` : '.'
  return {
    reason: 'deadline',
    message: `No time was left to ${attempt.what}${again}`,
    setting: 'timeout',
  }
}
