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

/** What reading the record back showed: the new state, the old one, or another. */
type ReadBack =
  | { readonly kind: 'new'; readonly record: DnsRecord }
  | { readonly kind: 'old' }
  | { readonly kind: 'other'; readonly what: string }

const maxWrites = 2
const maxWaitMs = 500
const retryTooLate = 'its Retry-After is later than the deadline'

/**
 * Carries out one planned write and confirms it: by a response that shows every field as it was sent, or by reading the
 * record back.
 * - While the outcome is unknown, the write is repeated only after reading the record and finding its old state. The time
 *   of one request is always reserved for that.
 * - A write that the service confirms, but with other values, is not repeated: it would do the same again.
 * - A refusal counts for its own attempt only. If the repetition is refused, the record is read back as well, because the
 *   first attempt may have succeeded.
 * - Retry-After is respected if there is time to read the record afterwards. If not, nothing is repeated.
 * Whatever remains uncertain is a failure.
 */
export async function write(service: DnsService, target: Target, plan: PlannedWrite): Promise<Written> {
  const { deadline, clock } = service
  let mayHaveHappened = false
  for (let attempt = 1; ; attempt++) {
    const spareMs = deadline.remainingMs() - deadline.callMs
    if (spareMs <= 0) return outOfTime(target, plan, mayHaveHappened)
    const outcome = await sendWrite(service, target, plan, spareMs)
    if (outcome.kind === 'refused' && !mayHaveHappened) return { kind: 'failed', problem: outcome.problem }
    const doubt = doubtAbout(outcome, plan)
    if (outcome.kind === 'answered' && doubt === null) {
      return { kind: 'confirmed', record: outcome.record, notes: [] }
    }
    mayHaveHappened ||= outcome.kind !== 'limited'
    const giveUp = (then: string): Written =>
      outcome.kind === 'limited' && !mayHaveHappened
        ? { kind: 'failed', problem: outcome.problem }
        : unconfirmed(target, plan, `${doubt}; ${then}`)

    const retryAfterMs =
      outcome.kind === 'unknown' || outcome.kind === 'limited' ? outcome.retryAfterMs : null
    const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs)
    const tooLate = retryAfterMs !== null && retryAfterMs > forWaitingMs
    if (tooLate && !mayHaveHappened) return giveUp(retryTooLate)
    const jitterMs = Math.min(clock.random() * maxWaitMs, forWaitingMs)
    await clock.sleep(tooLate ? jitterMs : (retryAfterMs ?? jitterMs))

    const listing = await listRecords(service, target)
    if (listing.kind === 'failed') {
      return giveUp(`reading it back failed too: ${listing.problem.message.replace(/\.$/, '')}`)
    }
    const found = readBack(listing.records, target, plan)
    if (found.kind === 'new') {
      const note = `The write of ${target.hostname} was confirmed by reading the record back, because ${doubt}.`
      return { kind: 'confirmed', record: found.record, notes: [note] }
    }
    if (found.kind === 'other') return giveUp(`reading it back, ${found.what}`)
    const old = `reading it back, it had not changed after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}`
    if (tooLate) return giveUp(`${old}, and ${retryTooLate}`)
    const repeatable = outcome.kind === 'unknown' || outcome.kind === 'limited'
    if (attempt === maxWrites || !repeatable) return giveUp(old)
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

/** Returns why this outcome does not settle the write, or null if it does. */
function doubtAbout(outcome: WriteOutcome, plan: PlannedWrite): string | null {
  if (outcome.kind === 'refused') {
    return `the outcome of the first attempt is unknown, and the service refused the second (${outcome.what})`
  }
  if (outcome.kind === 'limited') return 'the rate limit was reached'
  if (outcome.kind === 'unknown') return outcome.what
  const wrong = differences(outcome.record, plan.body, plan.kind === 'update' ? plan.record.id : null)
  return wrong.length === 0 ? null : `the response shows ${nameDifferences(wrong)}`
}

function readBack(listed: readonly DnsRecord[], target: Target, plan: PlannedWrite): ReadBack {
  const other = (what: string): ReadBack => ({ kind: 'other', what })
  const finding = findRecord(listed, target.hostname, plan.body.type)
  if (finding.kind === 'cname')
    return other(`the name has a CNAME, which prevents an ${plan.body.type} record`)
  if (finding.kind === 'several')
    return other(`the name has ${nameRecords(finding.records)}; delete all but one`)
  if (finding.kind === 'none') return plan.kind === 'create' ? { kind: 'old' } : other('the record is gone')
  const { record } = finding
  if (plan.kind === 'update' && record.id !== plan.record.id) {
    return other(`the record is gone, and ${record.id} has replaced it`)
  }
  if (record.readOnly) return other('the record is now managed by another product')
  const wrong = differences(record, plan.body, null)
  if (wrong.length === 0) return { kind: 'new', record }
  const before =
    plan.kind === 'update' && differences(record, { ...plan.body, ...fieldsOf(plan.record) }, null)
  return before && before.length === 0 ? { kind: 'old' } : other(`it shows ${nameDifferences(wrong)}`)
}

function fieldsOf({ content, ttl, proxied }: DnsRecord) {
  return { content, ttl, proxied }
}

function outOfTime(target: Target, plan: PlannedWrite, mayHaveHappened: boolean): Written {
  if (mayHaveHappened) return unconfirmed(target, plan, 'no time was left to repeat the write')
  const message =
    `No time was left to write ${target.hostname} and read it back, so nothing was written. The next run tries again. If ` +
    'this happens again, raise timeout.'
  return { kind: 'failed', problem: { reason: 'deadline', message } }
}

function unconfirmed({ hostname }: Target, plan: PlannedWrite, why: string): Written {
  const [what, states] =
    plan.kind === 'update'
      ? [`update of ${hostname} from ${plan.record.content} to ${plan.body.content}`, 'hold either address']
      : [`creation of ${hostname} with ${plan.body.content}`, 'exist or not']
  const message =
    `Could not confirm the ${what}: ${why}. The record may ${states}. The next run checks it; to check it now, run the ` +
    'workflow by hand.'
  return { kind: 'failed', problem: { reason: 'write-unconfirmed', message } }
}
