import { type PlannedDecision, resultOf } from './decide.ts'
import { type Problem, type Reading, unhandledError } from './problem.ts'
import { differences, findRecord, lostFields, type PlannedWrite, replacementOf } from './reconcile.ts'
import { type DnsApi, sendRecord, type WriteOutcome } from './records/dns-api.ts'
import { listRecords } from './records/list.ts'
import { explainMisplaced, nameDifferences, nameRecords } from './records/problems.ts'
import type { Difference, DnsRecord, ZonedTarget } from './records/record.ts'
import type { RecordResult } from './result.ts'

/** What became of a write: the fields of its result. */
type Became = Parameters<typeof resultOf>[3]

/** What reading the record back showed: the new state, the old one with the plan to repeat, or another. */
type ReadBack =
  | { readonly kind: 'new'; readonly record: DnsRecord }
  | { readonly kind: 'old'; readonly plan: PlannedWrite }
  /** `several` lists the records if the name has more than one. */
  | {
      readonly kind: 'other'
      readonly what: string
      readonly several?: readonly DnsRecord[]
    }

const maxWrites = 2
const maxWaitMs = 500
const retryTooLate = 'its Retry-After is later than the deadline'

/**
 * Carries out a planned write and confirms it, with at most a few of its zone under way. Returns the result for its record. An
 * unforeseen error counts for this name only.
 */
export async function carryOut({ slot, plan, notes }: PlannedDecision, api: DnsApi): Promise<RecordResult> {
  const writing = api.writesOf(slot.zoneId)(() => writeUntilKnown(api, slot, plan))
  const became = await writing.catch((error: unknown) => {
    const { message } = unhandledError(error, `It may have written ${slot.hostname}`)
    return failed({ reason: 'write-unconfirmed', message })
  })
  // A failure says all that there is to know.
  const known = became.notes && { notes: [...became.notes, ...notes] }
  return resultOf(slot, plan.body.content, plan, { ...became, ...known })
}

/**
 * Writes until the outcome is known: by a response that shows type, name, content, ttl and proxied as they were
 * sent, and what the write carries over as it was before, or by reading the record back.
 * - While the outcome is unknown, the write is repeated only after reading the record and finding its old state. The time
 *   of one request is always reserved for that.
 * - A write that Cloudflare confirms, but with other values, is not repeated: it would do the same again.
 * - A refusal counts for its own attempt only. If the repetition is refused, the record is read back as well, because the
 *   first attempt may have succeeded.
 * - Retry-After is respected if there is time to read the record afterwards. If not, nothing is repeated.
 * Whatever remains uncertain is a failure.
 */
async function writeUntilKnown(api: DnsApi, target: ZonedTarget, planned: PlannedWrite): Promise<Became> {
  const { deadline, clock } = api
  let plan = planned
  let mayHaveHappened = false
  for (let attempt = 1; ; attempt++) {
    const spareMs = deadline.remainingMs() - deadline.callMs
    if (spareMs <= 0) {
      if (mayHaveHappened) return unconfirmed(target, plan, 'no time was left to repeat the write')
      const message = `No time was left to write ${target.hostname} and read it back, so nothing was written.`
      return failed({ reason: 'deadline', message, setting: 'timeout' })
    }
    const recordId = plan.kind === 'update' ? plan.record.id : null
    const outcome = await sendRecord(api, target, recordId, plan.body, spareMs)
    if (outcome.kind === 'refused' && !mayHaveHappened) return failed(outcome.problem)
    const written = readWritten(outcome, plan)
    if ('value' in written) {
      if (plan.kind === 'create') return confirmSingle(api, target, plan, written.value)
      // Only a list shows what hides a record.
      return confirmed(plan, { ...written.value, hiddenBy: plan.record.hiddenBy })
    }
    if (outcome.kind === 'answered' && plan.kind === 'create' && outcome.record.name !== target.hostname) {
      return failed(explainMisplaced(target, outcome.record), outcome.record)
    }
    const why = written.problem
    const repeatable = (outcome.kind === 'unknown' && !outcome.isFinal) || outcome.kind === 'limited'
    mayHaveHappened ||= outcome.kind !== 'limited'
    const giveUp = (then: string): Became =>
      // Stryker disable next-line ConditionalExpression: Every other outcome sets mayHaveHappened; only the type checker needs the question
      outcome.kind === 'limited' && !mayHaveHappened
        ? failed(outcome.problem)
        : unconfirmed(target, plan, `${why}; ${then}`)

    const retryAfterMs = repeatable ? outcome.retryAfterMs : null
    const forWaitingMs = Math.max(0, deadline.remainingMs() - deadline.callMs)
    const tooLate = (retryAfterMs ?? 0) > forWaitingMs
    if (tooLate && !mayHaveHappened) return giveUp(retryTooLate)
    const jitterMs = Math.min(clock.random() * maxWaitMs, forWaitingMs)
    await clock.sleep(tooLate ? jitterMs : (retryAfterMs ?? jitterMs))

    const found = await readBack(api, target, plan)
    if (found.kind === 'other') return giveUp(found.what)
    if (found.kind === 'new') {
      const lost = lostBy(plan, found.record)
      if (lost.length > 0) return failed(explainLoss(plan, lost), found.record)
      const note = `The write of ${target.hostname} was confirmed only by reading the record back: ${why}.`
      return confirmed(plan, found.record, note)
    }
    const old = `a later read showed no change after ${attempt === 1 ? 'one attempt' : `${attempt} attempts`}`
    if (tooLate) return giveUp(`${old}, and ${retryTooLate}`)
    if (attempt === maxWrites || !repeatable) return giveUp(old)
    plan = found.plan
  }
}

/** Reads the name again after a creation, because another run may have created a second record at the same time. */
async function confirmSingle(
  api: DnsApi,
  target: ZonedTarget,
  plan: PlannedWrite,
  record: DnsRecord,
): Promise<Became> {
  const { clock } = api
  let found = await readBack(api, target, plan)
  if (found.kind === 'old') {
    // The API does not promise that a list shows at once what was created.
    await clock.sleep(clock.random() * maxWaitMs)
    found = await readBack(api, target, plan)
  }
  if (found.kind === 'new') return confirmed(plan, found.record)
  if (found.kind === 'old' || !found.several) {
    const why = found.kind === 'old' ? 'a later read showed no record at the name' : found.what
    return unconfirmed(target, plan, `Cloudflare created ${record.id}, but ${why}`, record)
  }
  const message =
    `${target.hostname} has ${nameRecords(found.several)}, because something else created a record at the same time as ` +
    `this run created ${record.id}. Delete all but one. Let only one program update the hostname.`
  return failed({ reason: 'record-ambiguous', message }, record)
}

function confirmed({ kind }: PlannedWrite, record: DnsRecord, ...notes: readonly string[]): Became {
  const result = kind === 'update' ? 'updated' : 'created'
  return { result, recordId: record.id, written: true, confirmed: record, notes }
}

/** @param record what is known to have been written despite the failure */
function failed(problem: Problem, record: DnsRecord | null = null): Became {
  return { result: 'failed', problem, ...(record && { recordId: record.id, written: true }) }
}

/** Reads the record as it was written from the outcome of a write. The problem is why that is not known, safe to print. */
function readWritten(outcome: WriteOutcome, plan: PlannedWrite): Reading<DnsRecord, string> {
  if (outcome.kind === 'refused') {
    const problem = `the outcome of the first attempt is unknown, and Cloudflare refused the second (${outcome.what})`
    return { problem }
  }
  if (outcome.kind === 'limited') return { problem: 'the rate limit was reached' }
  if (outcome.kind === 'unknown') return { problem: outcome.what }
  const { record } = outcome
  const wrong = differences(record, plan.body, plan.kind === 'update' ? plan.record.id : null)
  const lost = lostBy(plan, record)
  if (wrong.length === 0 && lost.length === 0) return { value: record }
  return { problem: `the response shows ${nameDifferences([...wrong, ...lost])}` }
}

/** Returns what a record has lost of what a replacement carries over. */
function lostBy(plan: PlannedWrite, record: DnsRecord): readonly Difference[] {
  return plan.kind === 'update' ? lostFields(record, plan.record) : []
}

/** Lists the records of the name, and compares the record with the plan. */
async function readBack(api: DnsApi, target: ZonedTarget, plan: PlannedWrite): Promise<ReadBack> {
  const listing = await listRecords(api, target)
  if ('problem' in listing) {
    const what = `reading it back failed: ${listing.problem.message.replace(/\.$/, '')}`
    return { kind: 'other', what }
  }
  const other = (what: string, several?: readonly DnsRecord[]): ReadBack => {
    return { kind: 'other', what: `a later read showed that ${what}`, ...(several && { several }) }
  }
  const lookup = findRecord(listing.value, target.hostname, plan.body.type)
  if (lookup.kind === 'cname')
    return other(`the name has a CNAME, which prevents an ${plan.body.type} record`)
  if (lookup.kind === 'several')
    return other(`the name has ${nameRecords(lookup.records)}; delete all but one`, lookup.records)
  if (lookup.kind === 'none') {
    return plan.kind === 'create' ? { kind: 'old', plan } : other('the record is gone')
  }
  const { record } = lookup
  if (plan.kind === 'update' && record.id !== plan.record.id) {
    return other(`the record is gone, and ${record.id} has replaced it`)
  }
  const wrong = differences(record, plan.body, null)
  if (wrong.length === 0) return { kind: 'new', record }
  if (record.readOnly) return other('the record is now managed by another product')
  if (plan.kind === 'update') {
    const { content, ttl, proxied } = plan.record
    const before = { ...plan.body, content, ttl, proxied }
    // Its other fields may have been edited since.
    const body = replacementOf(record, plan.body)
    if (differences(record, before, null).length === 0)
      return { kind: 'old', plan: { ...plan, record, body } }
  }
  return other(`it has ${nameDifferences(wrong)}`)
}

function explainLoss({ body }: PlannedWrite, lost: readonly Difference[]): Problem {
  const message =
    `The update of ${body.name} to ${body.content} was written, but a later read showed ` +
    `${nameDifferences(lost)}. Set that again by hand: Homeport does not know what it was.`
  return { reason: 'write-unconfirmed', message }
}

function unconfirmed(
  { hostname }: ZonedTarget,
  plan: PlannedWrite,
  why: string,
  record: DnsRecord | null = null,
): Became {
  const [what, states] =
    plan.kind === 'update'
      ? [`update of ${hostname} from ${plan.record.content} to ${plan.body.content}`, 'hold either address']
      : [`creation of ${hostname} with ${plan.body.content}`, 'exist or not']
  const message = `Could not confirm the ${what}: ${why}. The record may ${states}.`
  return failed({ reason: 'write-unconfirmed', message }, record)
}
