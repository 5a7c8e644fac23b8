import type { Problem } from './problem.ts'
import { differences, findRecord, type Plan } from './reconcile.ts'
import { nameDifferences, nameRecords } from './records/problems.ts'
import type { DnsRecord, Target } from './records/record.ts'
import {
  createRecord,
  type DnsService,
  listRecords,
  replaceRecord,
  type WriteOutcome,
} from './records/service.ts'

export type PlannedWrite = Extract<Plan, { kind: 'update' | 'create' }>

export type Written =
  | { readonly kind: 'confirmed'; readonly record: DnsRecord; readonly notes: readonly string[] }
  | { readonly kind: 'failed'; readonly problem: Problem }

/** What reading the record back showed. */
type ReadBack =
  | { readonly kind: 'right'; readonly record: DnsRecord }
  | { readonly kind: 'old' }
  | { readonly kind: 'other'; readonly what: string }

const maxWrites = 2
const maxWaitMs = 500

/**
 * Carries out one planned write and sees it confirmed: by an answer that shows every field as sent, or by reading the
 * record back. While the outcome is unknown the write is repeated only after the record was read again and still
 * shows what it showed before; one call's time is always kept for that reading. A write that the service says it did,
 * but otherwise than asked, is not repeated: it would do that once more. A refusal speaks for its own attempt alone,
 * so the refusal of a repetition is read back too: the attempt before it may have come true. What cannot be settled is
 * a failure. Retry-After is waited for as long as the reading still fits behind it; beyond that nothing is repeated.
 */
export async function write(service: DnsService, target: Target, plan: PlannedWrite): Promise<Written> {
  const { deadline, clock } = service
  let mayHaveHappened = false
  for (let attempt = 1; ; attempt++) {
    const spareMs = deadline.remainingMs() - deadline.callMs
    if (spareMs <= 0) return outOfTime(plan, mayHaveHappened)
    const answer = await sendWrite(service, target, plan, spareMs)
    if (answer.kind === 'refused' && !mayHaveHappened) return { kind: 'failed', problem: answer.problem }
    const doubt = doubtAbout(answer, plan)
    if (answer.kind === 'answered' && doubt === null) {
      return { kind: 'confirmed', record: answer.record, notes: [] }
    }
    mayHaveHappened ||= answer.kind !== 'limited'
    const giveUp = (then: string): Written =>
      answer.kind === 'limited' && !mayHaveHappened
        ? { kind: 'failed', problem: answer.problem }
        : unconfirmed(plan, `${doubt}; ${then}`)

    const retryAfterMs = answer.kind === 'unknown' || answer.kind === 'limited' ? answer.retryAfterMs : null
    const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs)
    const tooLong = retryAfterMs !== null && retryAfterMs > forWaitingMs
    const beyond = 'its Retry-After lies beyond the deadline'
    if (tooLong && !mayHaveHappened) return giveUp(beyond)
    const jitterMs = Math.min(clock.random() * maxWaitMs, forWaitingMs)
    await clock.sleep(tooLong ? jitterMs : (retryAfterMs ?? jitterMs))

    const listing = await listRecords(service, target)
    if (listing.kind === 'failed') return giveUp(`reading it back failed too: ${listing.problem.message}`)
    const seen = readBack(listing.records, plan)
    if (seen.kind === 'right') {
      return {
        kind: 'confirmed',
        record: seen.record,
        notes: [`The write of ${plan.body.name} was confirmed by reading the record back, since ${doubt}.`],
      }
    }
    if (seen.kind === 'other') return giveUp(`read back, ${seen.what}`)
    const unchanged = `read back, it is as it was before, after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}`
    if (tooLong) return giveUp(`${unchanged}, and ${beyond}`)
    const repeatable = answer.kind === 'unknown' || answer.kind === 'limited'
    if (attempt === maxWrites || !repeatable) return giveUp(unchanged)
  }
}

function sendWrite(
  service: DnsService,
  target: Target,
  plan: PlannedWrite,
  timeoutMs: number,
): Promise<WriteOutcome> {
  return plan.kind === 'update'
    ? replaceRecord(service, target, plan.record.id, plan.body, timeoutMs)
    : createRecord(service, target, plan.body, timeoutMs)
}

/** Why this answer does not settle the write, or null when it does. */
function doubtAbout(answer: WriteOutcome, plan: PlannedWrite): string | null {
  if (answer.kind === 'refused') {
    return `an attempt whose outcome is not known was repeated, and the repetition refused (${answer.what})`
  }
  if (answer.kind === 'limited') return 'the rate limit was reached'
  if (answer.kind === 'unknown') return answer.what
  const wrong = differences(answer.record, plan.body, plan.kind === 'update' ? plan.record.id : null)
  return wrong.length === 0 ? null : `the answer shows ${nameDifferences(wrong)}`
}

function readBack(listed: readonly DnsRecord[], plan: PlannedWrite): ReadBack {
  const other = (what: string): ReadBack => ({ kind: 'other', what })
  const finding = findRecord(listed, plan.body.name, plan.body.type)
  if (finding.kind === 'cname') return other('a CNAME stands at the name, which excludes an A record')
  if (finding.kind === 'several')
    return other(`the name has ${nameRecords(finding.records)}; leave exactly one`)
  if (finding.kind === 'none') return plan.kind === 'create' ? { kind: 'old' } : other('the record is gone')
  const { record } = finding
  if (plan.kind === 'update' && record.id !== plan.record.id) {
    return other(`the record is gone, and ${record.id} stands in its place`)
  }
  if (record.readOnly) return other('the record is managed by another product now')
  const wrong = differences(record, plan.body, null)
  if (wrong.length === 0) return { kind: 'right', record }
  const before =
    plan.kind === 'update' && differences(record, { ...plan.body, ...fieldsOf(plan.record) }, null)
  return before && before.length === 0 ? { kind: 'old' } : other(`it shows ${nameDifferences(wrong)}`)
}

function fieldsOf({ content, ttl, proxied }: DnsRecord) {
  return { content, ttl, proxied }
}

function outOfTime(plan: PlannedWrite, mayHaveHappened: boolean): Written {
  if (mayHaveHappened)
    return unconfirmed(plan, 'the write was not answered and no time was left to repeat it')
  const message =
    `No time was left to write ${plan.body.name} and read it back, so nothing was written. The next run tries ` +
    'again; if this recurs, raise timeout.'
  return { kind: 'failed', problem: { reason: 'deadline', message } }
}

function unconfirmed(plan: PlannedWrite, why: string): Written {
  const what =
    plan.kind === 'update'
      ? `the update of ${plan.body.name} from ${plan.record.content} to ${plan.body.content}`
      : `the creation of ${plan.body.name} with ${plan.body.content}`
  const message =
    `Could not confirm ${what}: ${why}. The record may hold either state. The next run looks again; to look now, run ` +
    'the workflow by hand.'
  return { kind: 'failed', problem: { reason: 'write-unconfirmed', message } }
}
