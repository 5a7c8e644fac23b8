import type { Clock, Deadline } from '../deadline.ts'
import type { Exchange, HttpOutcome, HttpRequest, HttpResponse } from '../http.ts'
import type { Problem } from '../problem.ts'
import { doubtAboutWhole, type Envelope, parseEnvelope, parseRecord } from './envelope.ts'
import { type Attempt, describeResponse, explainErrors, isRateLimit, rateLimited } from './problems.ts'
import type { DnsRecord, RecordBody, Target } from './record.ts'

/** Where the API is, and what every request to it needs. */
export interface DnsService {
  /** Root of the API, without a slash at the end. */
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
  /** The service refused, so this attempt wrote nothing. `what` it returned is safe to print. */
  | { readonly kind: 'refused'; readonly problem: Problem; readonly what: string }
  /** The rate limiter refused. `retryAfterMs` is null if it did not say how long. */
  | { readonly kind: 'limited'; readonly problem: Problem; readonly retryAfterMs: number | null }
  /** No response can be trusted, so the write may have happened. `what` is safe to print. */
  | { readonly kind: 'unknown'; readonly what: string; readonly retryAfterMs: number | null }

const maxReads = 3
const maxResponseBytes = 1024 * 1024
/** Limits of the random waits before the second and the third read. */
const maxWaitsMs = [500, 1000] as const

/**
 * Lists the records of a name, of every type: the API filters by name only, and the caller chooses. Makes at most three
 * attempts, and does not repeat a request that was refused. A list that is incomplete, or contains an unreadable record,
 * is a failure and never a shorter list.
 */
export async function listRecords(service: DnsService, target: Target): Promise<Listing> {
  const attempt: Attempt = { what: `list the records of ${target.hostname}`, target, writes: false }
  const url = `${recordsUrl(service, target)}?name=${encodeURIComponent(target.hostname)}`
  if (service.deadline.remainingMs() <= 0) return { kind: 'failed', problem: deadlinePassed(attempt) }
  for (let read = 1; ; read++) {
    const outcome = await send(service, { method: 'GET', url }, service.deadline.remainingMs())
    const listing = readListing(outcome, attempt)
    if (listing.kind !== 'retry') return listing
    const retryAfterMs = outcome.kind === 'response' ? outcome.retryAfterMs : null
    const waitMs = retryAfterMs ?? service.clock.random() * (maxWaitsMs[read - 1] ?? 0)
    if (read === maxReads || waitMs >= service.deadline.remainingMs()) {
      const outOfTime = read < maxReads && retryAfterMs === null
      return {
        kind: 'failed',
        problem: outOfTime ? deadlinePassed(attempt, listing.problem) : listing.problem,
      }
    }
    await service.clock.sleep(waitMs)
  }
}

function readListing(
  outcome: HttpOutcome,
  attempt: Attempt,
): Listing | { readonly kind: 'retry'; readonly problem: Problem } {
  const unavailable = (what: string): Problem => ({
    reason: 'service-unavailable',
    message: `Failed to ${attempt.what}: ${what}.`,
  })
  if (outcome.kind === 'failure') {
    const problem = unavailable(outcome.detail)
    return outcome.cause === 'too-large' ? { kind: 'failed', problem } : { kind: 'retry', problem }
  }
  if (isRedirect(outcome)) return { kind: 'failed', problem: redirected(attempt) }
  const { status } = outcome
  const envelope = parseEnvelope(outcome.body)
  const errors = envelope?.errors ?? []
  if (isRateLimit(status, errors)) {
    return { kind: 'retry', problem: rateLimited(attempt, describeResponse(status, errors)) }
  }
  if (status >= 500) return { kind: 'retry', problem: explainErrors(status, errors, attempt) }
  if (status >= 400 || envelope?.success === false) {
    return { kind: 'failed', problem: explainErrors(status, errors, attempt) }
  }
  if (!envelope) return { kind: 'retry', problem: unavailable(describeBody(outcome)) }
  return readRecords(envelope, attempt)
}

function readRecords(envelope: Envelope, attempt: Attempt): Listing {
  const failed = (why: string): Listing => ({
    kind: 'failed',
    problem: { reason: 'unexpected', message: `Failed to ${attempt.what}: ${why}. Check base-url.` },
  })
  if (!Array.isArray(envelope.result)) return failed('the response contains no list of records')
  const records = envelope.result.map(parseRecord)
  const readable = records.filter(record => record !== null)
  if (readable.length < records.length)
    return failed('a record in the response has missing or malformed fields')
  const doubt = doubtAboutWhole(envelope.resultInfo, readable.length)
  if (doubt) return failed(`the list may be incomplete, and only a complete one can be trusted: ${doubt}`)
  return { kind: 'listed', records: readable }
}

/**
 * Replaces a record with one PUT, never repeated here. `timeoutMs` is what the caller can spare and still read the record
 * back. The service overwrites the whole record, so the body must contain everything that is to stay.
 */
export async function replaceRecord(
  service: DnsService,
  target: Target,
  recordId: string,
  body: RecordBody,
  timeoutMs: number,
): Promise<WriteOutcome> {
  const url = `${recordsUrl(service, target)}/${recordId}`
  const outcome = await send(service, { method: 'PUT', url, body: JSON.stringify(body) }, timeoutMs)
  return readWrite(outcome, { what: `update ${target.hostname}`, target, writes: true })
}

/** Creates a record with one POST, never repeated here. */
export async function createRecord(
  service: DnsService,
  target: Target,
  body: RecordBody,
  timeoutMs: number,
): Promise<WriteOutcome> {
  const url = recordsUrl(service, target)
  const outcome = await send(service, { method: 'POST', url, body: JSON.stringify(body) }, timeoutMs)
  return readWrite(outcome, { what: `create ${target.hostname}`, target, writes: true })
}

function readWrite(outcome: HttpOutcome, attempt: Attempt): WriteOutcome {
  if (outcome.kind === 'failure') return { kind: 'unknown', what: outcome.detail, retryAfterMs: null }
  const { status, retryAfterMs } = outcome
  const envelope = parseEnvelope(outcome.body)
  const errors = envelope?.errors ?? []
  const what = describeResponse(status, errors)
  if (isRateLimit(status, errors)) {
    return { kind: 'limited', problem: rateLimited(attempt, what), retryAfterMs }
  }
  if (status >= 500) return { kind: 'unknown', what, retryAfterMs }
  if (status >= 400 || envelope?.success === false) {
    return { kind: 'refused', problem: explainErrors(status, errors, attempt), what }
  }
  const record = envelope ? parseRecord(envelope.result) : null
  if (isRedirect(outcome) || !record) return { kind: 'unknown', what: describeBody(outcome), retryAfterMs }
  return { kind: 'answered', record }
}

/** Sends a request with the token, which leaves the process only here. Every method needs the same headers. */
function send(
  service: DnsService,
  request: Pick<HttpRequest, 'method' | 'url' | 'body'>,
  timeoutMs: number,
): Promise<HttpOutcome> {
  return service.exchange({
    ...request,
    headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
    timeoutMs: Math.min(service.deadline.callMs, timeoutMs),
    maxBytes: maxResponseBytes,
  })
}

function recordsUrl(service: DnsService, { zoneId }: Target): string {
  return `${service.baseUrl}/client/v4/zones/${zoneId}/dns_records`
}

function isRedirect(response: HttpResponse): boolean {
  return response.status >= 300 && response.status < 400
}

function redirected(attempt: Attempt): Problem {
  return {
    reason: 'unexpected',
    message:
      `Failed to ${attempt.what}: the service returned a redirect. The action does not follow it, because that would send ` +
      'the token along. Check base-url, and look for a captive portal or a proxy.',
  }
}

function describeBody({ status, body }: HttpResponse): string {
  const found = body === '' ? 'an empty body' : 'something other than its JSON envelope'
  return `the service returned ${status} with ${found}`
}

function deadlinePassed(attempt: Attempt, last?: Problem): Problem {
  const again = last ? ` again. ${last.message}` : '.'
  return {
    reason: 'deadline',
    message: `No time was left to ${attempt.what}${again} If this happens again, raise timeout.`,
  }
}
