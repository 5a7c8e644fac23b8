import type { Clock, Deadline } from '../deadline.ts'
import type { Exchange, HttpFailure, HttpRequest, HttpResponse } from '../http.ts'
import type { Problem } from '../problem.ts'
import { doubtAboutWhole, type Envelope, parseEnvelope, parseRecord } from './envelope.ts'
import { type Attempt, explainErrors, isRateLimit, rateLimited, saidBy } from './problems.ts'
import type { DnsRecord, RecordBody, Target } from './record.ts'

/** Where the interface lives and what every call to it needs. */
export interface DnsService {
  /** Root of the interface, without a slash at the end. */
  readonly baseUrl: string
  readonly token: string
  readonly exchange: Exchange
  readonly deadline: Deadline
  readonly clock: Clock
}

export type Listing =
  | { readonly kind: 'listed'; readonly records: readonly DnsRecord[] }
  | { readonly kind: 'failed'; readonly problem: Problem }

export type WriteOutcome =
  | { readonly kind: 'answered'; readonly record: DnsRecord }
  /** The service said no: this attempt wrote nothing. `what` it said is safe to print. */
  | { readonly kind: 'refused'; readonly problem: Problem; readonly what: string }
  /** The rate limiter said no; it may say yes after the wait, in milliseconds (null: not said). */
  | { readonly kind: 'limited'; readonly problem: Problem; readonly retryAfterMs: number | null }
  /** No answer that can be trusted: the write may have happened. `what` is safe to print. */
  | { readonly kind: 'unknown'; readonly what: string; readonly retryAfterMs: number | null }

const maxReads = 3
const maxAnswerBytes = 1024 * 1024
/** Waits before the second and the third read are drawn below these. */
const maxWaitsMs = [500, 1000] as const

/**
 * The records that the service lists under a name, whatever their type: the contract's filter is by name alone, and
 * choosing is the caller's. At most three attempts; refusals are not repeated. A list that is not whole, or holds a
 * record that cannot be read, is a failure and never a shorter list.
 */
export async function listRecords(service: DnsService, target: Target): Promise<Listing> {
  const attempt: Attempt = { what: `list the records of ${target.hostname}`, target, writes: false }
  const url = `${recordsUrl(service, target)}?name=${encodeURIComponent(target.hostname)}`
  if (service.deadline.remainingMs() <= 0) return { kind: 'failed', problem: deadlinePassed(attempt) }
  for (let read = 1; ; read++) {
    const answer = await send(service, { method: 'GET', url }, service.deadline.remainingMs())
    const taken = takeListing(answer, attempt)
    if (taken.kind !== 'retry') return taken
    const retryAfterMs = answer.kind === 'response' ? answer.retryAfterMs : null
    const waitMs = retryAfterMs ?? service.clock.random() * (maxWaitsMs[read - 1] ?? 0)
    if (read === maxReads || waitMs >= service.deadline.remainingMs()) {
      const outOfTime = read < maxReads && retryAfterMs === null
      return { kind: 'failed', problem: outOfTime ? deadlinePassed(attempt, taken.problem) : taken.problem }
    }
    await service.clock.sleep(waitMs)
  }
}

function takeListing(
  answer: HttpResponse | HttpFailure,
  attempt: Attempt,
): Listing | { readonly kind: 'retry'; readonly problem: Problem } {
  const unavailable = (what: string): Problem => ({
    reason: 'service-unavailable',
    message: `Failed to ${attempt.what}: ${what}.`,
  })
  if (answer.kind === 'failure') {
    const problem = unavailable(answer.detail)
    return answer.cause === 'too-large' ? { kind: 'failed', problem } : { kind: 'retry', problem }
  }
  if (isRedirect(answer)) return { kind: 'failed', problem: redirected(attempt) }
  const envelope = parseEnvelope(answer.body)
  const errors = envelope?.errors ?? []
  if (isRateLimit(answer.status, errors)) {
    return { kind: 'retry', problem: rateLimited(attempt, saidBy(answer.status, errors)) }
  }
  if (answer.status >= 500) {
    return { kind: 'retry', problem: explainErrors(answer.status, errors, attempt) }
  }
  if (answer.status >= 400 || envelope?.success === false) {
    return { kind: 'failed', problem: explainErrors(answer.status, errors, attempt) }
  }
  if (!envelope) return { kind: 'retry', problem: unavailable(notTheInterface(answer)) }
  return takeRecords(envelope, attempt)
}

function takeRecords(envelope: Envelope, attempt: Attempt): Listing {
  const failed = (why: string): Listing => ({
    kind: 'failed',
    problem: { reason: 'unexpected', message: `Failed to ${attempt.what}: ${why}.` },
  })
  if (!Array.isArray(envelope.result)) return failed('the answer holds no list of records')
  const records = envelope.result.map(parseRecord)
  const whole = records.filter(record => record !== null)
  if (whole.length < records.length) return failed('a record in the answer has missing or malformed fields')
  const doubt = doubtAboutWhole(envelope.resultInfo, whole.length)
  if (doubt) return failed(`the answer may not be the whole list, which alone can be chosen from: ${doubt}`)
  return { kind: 'listed', records: whole }
}

/**
 * Replaces a record: one PUT, never repeated here. `timeoutMs` is what the caller can spare and still read the record
 * back. The service overwrites the whole record, so the body must hold all that is to stay.
 */
export async function replaceRecord(
  service: DnsService,
  target: Target,
  recordId: string,
  body: RecordBody,
  timeoutMs: number,
): Promise<WriteOutcome> {
  const url = `${recordsUrl(service, target)}/${recordId}`
  const answer = await send(service, { method: 'PUT', url, body: JSON.stringify(body) }, timeoutMs)
  return takeWrite(answer, { what: `update ${target.hostname}`, target, writes: true })
}

/** Creates a record: one POST, never repeated here. */
export async function createRecord(
  service: DnsService,
  target: Target,
  body: RecordBody,
  timeoutMs: number,
): Promise<WriteOutcome> {
  const url = recordsUrl(service, target)
  const answer = await send(service, { method: 'POST', url, body: JSON.stringify(body) }, timeoutMs)
  return takeWrite(answer, { what: `create ${target.hostname}`, target, writes: true })
}

function takeWrite(answer: HttpResponse | HttpFailure, attempt: Attempt): WriteOutcome {
  if (answer.kind === 'failure') return { kind: 'unknown', what: answer.detail, retryAfterMs: null }
  const { status, retryAfterMs } = answer
  const envelope = parseEnvelope(answer.body)
  const errors = envelope?.errors ?? []
  if (isRateLimit(status, errors)) {
    return { kind: 'limited', problem: rateLimited(attempt, saidBy(status, errors)), retryAfterMs }
  }
  if (status >= 500) return { kind: 'unknown', what: saidBy(status, errors), retryAfterMs }
  if (status >= 400 || envelope?.success === false) {
    return { kind: 'refused', problem: explainErrors(status, errors, attempt), what: saidBy(status, errors) }
  }
  const record = envelope ? parseRecord(envelope.result) : null
  if (isRedirect(answer) || !record) return { kind: 'unknown', what: notTheInterface(answer), retryAfterMs }
  return { kind: 'answered', record }
}

/** The token leaves the process here and nowhere else; the headers are the contract's, on every method. */
function send(
  service: DnsService,
  request: Pick<HttpRequest, 'method' | 'url' | 'body'>,
  timeoutMs: number,
): Promise<HttpResponse | HttpFailure> {
  return service.exchange({
    ...request,
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    timeoutMs: Math.min(service.deadline.callMs, timeoutMs),
    maxBytes: maxAnswerBytes,
  })
}

function recordsUrl(service: DnsService, { zoneId }: Target): string {
  return `${service.baseUrl}/client/v4/zones/${zoneId}/dns_records`
}

function isRedirect(answer: HttpResponse): boolean {
  return answer.status >= 300 && answer.status < 400
}

function redirected(attempt: Attempt): Problem {
  return {
    reason: 'unexpected',
    message:
      `Failed to ${attempt.what}: the service answered with a redirect, which is never followed, since the token ` +
      'would go with it. Check base-url, and that no captive portal or proxy stands in between.',
  }
}

function notTheInterface(answer: HttpResponse): string {
  return `the service answered ${answer.status} with ${answer.body === '' ? 'an empty body' : 'something that is not its JSON envelope'}`
}

function deadlinePassed(attempt: Attempt, last?: Problem): Problem {
  const again = last ? ` again. ${last.message}` : '.'
  return {
    reason: 'deadline',
    message: `No time was left to ${attempt.what}${again} If this recurs, raise timeout.`,
  }
}
