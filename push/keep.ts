import { type Decision, decide, failedResult, type Slot } from '../action/decide.ts'
import type { Problem } from '../action/problem.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import { type Listing, listZone } from '../action/records/list.ts'
import type { RecordResult } from '../action/result.ts'
import { carryOut } from '../action/write.ts'
import { failure } from '../lib/exchange.ts'

/** A record to keep, and the address that it should hold, which has passed the checks. */
export interface Wanted {
  readonly slot: Slot & { readonly zoneId: string }
  readonly address: string
}

/** What happened to a record. It is unsettled after a write that was not confirmed: only a later read shows what it holds. */
export interface Kept {
  readonly result: RecordResult
  readonly unsettled: boolean
}

/** Decides about the record that should hold a given address. It keeps its TTL and its proxy, and none is created. */
export function decideGiven({ slot, address }: Wanted, listing: Listing | null): Decision {
  const record = { ttl: null, proxied: null, onDrift: 'warn', create: false } as const
  return decide(slot, { value: address }, listing, { addresses: [], record })
}

/**
 * Keeps records of one zone: lists them once, writes those that differ, and lists these once more. Each fails apart, and several
 * callers may keep the same ones at once.
 * @param isOvertaken whether the caller may not write a record, because a later one has another address for it
 */
export async function keepRecords(
  wanted: readonly Wanted[],
  api: DnsApi,
  isOvertaken: (one: Wanted) => boolean,
): Promise<readonly Kept[]> {
  const due = wanted.filter(one => !isOvertaken(one))
  const before = await listNames(api, due)
  const attempts = await Promise.all(
    wanted.map(one => attempt(one, before(one), api, () => isOvertaken(one))),
  )
  const open = attempts.flatMap(({ one, isOpen }) => (isOpen ? one : []))
  const after = await listNames(api, open)
  return attempts.map(each => (each.isOpen ? confirm(each, after(each.one)) : each))
}

/** Lists the names of records. Returns what finds the listing of a record. */
async function listNames(api: DnsApi, records: readonly Wanted[]) {
  const [first] = records
  const names = [...new Set(records.map(({ slot }) => slot.hostname))]
  const listings = first ? await listZone(api, first.slot.zoneId, names) : null
  return ({ slot }: Wanted) => listings?.get(slot.hostname) ?? null
}

/** The outcome for a record before the last list. Only open ones wait for that list. */
interface Attempt extends Kept {
  readonly one: Wanted
  readonly isOpen: boolean
}

/** Decides about a record, and writes it if it differs, once it is its turn in the zone. */
async function attempt(
  one: Wanted,
  listing: Listing | null,
  api: DnsApi,
  isOvertaken: () => boolean,
): Promise<Attempt> {
  const { slot, address } = one
  const { deadline } = api
  const end = (result: RecordResult) => ({ one, result, unsettled: false, isOpen: false })
  const refuse = (problem: Problem) => end(failedResult(slot, address, problem))
  if (isOvertaken()) return refuse(overtaken(slot))
  const decision = decideGiven(one, listing)
  if (decision.kind === 'done') return end(decision.result)
  let isSent = false
  const exchange: typeof api.exchange = async request => {
    const isWrite = request.method !== 'GET'
    // A write that is cut off can arrive after a later ping has read the record, so it needs half the time of a call.
    if (isWrite && (isOvertaken() || request.timeoutMs < deadline.callMs / 2))
      return failure('aborted', 'it may no longer be sent')
    isSent ||= isWrite
    return isSent ? api.exchange(request) : failure('aborted', 'nothing was written')
  }
  let callMs: number | null = null
  const own = {
    ...deadline,
    /** If little time is left when the write begins, half of it is for the write, and half for reading the record back. */
    get callMs() {
      callMs ??= Math.min(deadline.callMs, deadline.remainingMs() / 2)
      return callMs
    },
  }
  const result = await carryOut(decision, { ...api, exchange, deadline: own })
  if (!isSent) return refuse(isOvertaken() ? overtaken(slot) : late(slot))
  const unsettled = isUnsettled(result.problem)
  return { one, result, unsettled, isOpen: !unsettled }
}

/** Compares what was written with what the last list shows. */
function confirm({ one, result }: Attempt, listing: Listing | null): Kept {
  // Another caller may have written an older address since, or NS records hide the name.
  const after = decideGiven(one, listing)
  const shown = after.kind === 'done' ? after.result.problem : unconfirmed(one.slot)
  const unsettled = isUnsettled(shown)
  const problem = unsettled ? unconfirmed(one.slot) : shown
  const ifServed = problem === null || unsettled ? null : 'updated'
  return { result: { ...result, result: problem ? 'failed' : 'updated', ifServed, problem }, unsettled }
}

function isUnsettled(problem: Problem | null): boolean {
  return problem !== null && problem.reason !== 'not-served'
}

function overtaken({ hostname, type }: Slot): Problem {
  const message = `The ${type} record of ${hostname} was not written, because a later ping has another address for it.`
  return { reason: 'address-disagreement', message }
}

function late({ hostname, type }: Slot): Problem {
  return { reason: 'deadline', message: `No time was left to write the ${type} record of ${hostname}.` }
}

function unconfirmed({ hostname, type }: Slot): Problem {
  const message = `The ${type} record of ${hostname} was written, but the next read did not show it. Something else may have changed it.`
  return { reason: 'write-unconfirmed', message }
}
