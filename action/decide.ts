import type { RecordType } from '../lib/record-type.ts'
import type { Problem, Reading } from './problem.ts'
import { type Plan, type PlannedWrite, reconcile } from './reconcile.ts'
import { isOutside, type Listing } from './records/list.ts'
import { explainHidden, explainOutside } from './records/problems.ts'
import type { DnsRecord, RecordRules, Target, Wanted, ZonedTarget } from './records/record.ts'
import type { RecordResult } from './result.ts'
import { setting } from './setting-names.ts'

/** One record to keep. */
export type Slot = Target & { readonly type: RecordType }

/** What decisions need of the inputs. */
interface DecisionInputs {
  readonly record: RecordRules
  /** The types of record that are kept, each once. */
  readonly addresses: readonly { readonly type: RecordType }[]
}

/** What a round decided for a record: a write, or a result without one. */
export type Decision =
  | {
      readonly kind: 'write'
      readonly slot: Slot & ZonedTarget
      readonly plan: PlannedWrite
      /** What a reader should know if the record is written. Safe to print. */
      readonly notes: readonly string[]
    }
  | { readonly kind: 'done'; readonly result: RecordResult }

export type PlannedDecision = Extract<Decision, { kind: 'write' }>

/** Decides for one record, which should hold the address that was learned. */
export function decide(
  slot: Slot,
  learned: Reading<string>,
  listing: Listing | null,
  inputs: DecisionInputs,
): Decision {
  const { hostname, type, zoneId } = slot
  if ('problem' in learned) return refuse(slot, learned.problem, null)
  const address = learned.value
  if (!listing) throw new Error('Records are listed whenever an address is known.')
  if ('problem' in listing) return refuse(slot, withoutWrite(listing.problem), address)
  if (zoneId === null) throw new Error('Records are listed only of a known zone.')
  const wanted: Wanted = { ...inputs.record, hostname, type, address }
  const plan = reconcile(listing.value, wanted)
  if (plan.kind === 'refuse') return refuse(slot, plan.problem, address)
  if (plan.kind === 'unchanged') {
    const result = resultOf(slot, address, plan, { result: 'unchanged', confirmed: plan.record })
    return { kind: 'done', result }
  }
  const managesIpv6 = inputs.addresses.some(other => other.type === 'AAAA')
  const staysProxied = plan.kind === 'update' && plan.body.proxied && inputs.record.proxied === null
  const notes = [
    ...(managesIpv6 ? [] : staleIpv6Notes(listing.value, hostname)),
    ...(staysProxied
      ? [`${hostname} (${type}) is proxied, and stays so because ${setting('proxied')} is not set.`]
      : []),
  ]
  return { kind: 'write', slot: { ...slot, zoneId }, plan, notes }
}

/**
 * Refuses to create a name outside its zone. Cloudflare would take such a name as relative to the zone and create a record below
 * it. `suffixOf` reads what the names of a zone share.
 */
export async function checkCreation(
  decision: Decision,
  suffixOf: (zoneId: string) => Promise<Reading<string>>,
): Promise<Decision> {
  if (decision.kind === 'done' || decision.plan.kind !== 'create') return decision
  const { slot, plan } = decision
  const suffix = await suffixOf(slot.zoneId)
  if ('problem' in suffix) return refuse(slot, withoutWrite(suffix.problem), plan.body.content)
  if (!isOutside(slot.hostname, suffix.value)) return decision
  return refuse(slot, explainOutside(slot, suffix.value), plan.body.content)
}

/**
 * Returns the result for a record: what the plan says, if there is one, and what became of it. That is a failure if NS
 * records hide a record from everybody which Cloudflare confirmed.
 */
export function resultOf(
  slot: Slot,
  address: string | null,
  plan: Exclude<Plan, { kind: 'refuse' }> | null,
  became: Pick<RecordResult, 'result'> & Partial<RecordResult>,
): RecordResult {
  const existing = plan && plan.kind !== 'create' ? plan : null
  const result: RecordResult = {
    ...slot,
    address,
    previousAddress: existing?.record.content ?? null,
    recordId: existing?.record.id ?? null,
    confirmed: null,
    servedBy: null,
    drift: existing?.drift ?? [],
    written: false,
    ifServed: null,
    problem: null,
    notes: [],
    ...became,
  }
  const { confirmed } = result
  if (!confirmed || confirmed.hiddenBy.length === 0) return result
  const problem = explainHidden(confirmed)
  return { ...result, result: 'failed', ifServed: result.result, problem, confirmed: null }
}

/** Returns the result for a record about which nothing is confirmed. Its problem says whether it can have been written. */
export function failedResult(slot: Slot, address: string | null, problem: Problem): RecordResult {
  return resultOf(slot, address, null, { result: 'failed', problem })
}

function refuse(slot: Slot, problem: Problem, address: string | null): Decision {
  return { kind: 'done', result: failedResult(slot, address, problem) }
}

function withoutWrite(problem: Problem): Problem {
  return { ...problem, message: `${problem.message} Nothing was written.` }
}

/**
 * Warns about AAAA records that this run does not manage at a name whose A record changes: the host has moved, and
 * clients prefer IPv6 (RFC 6724).
 */
function staleIpv6Notes(listed: readonly DnsRecord[], hostname: string): readonly string[] {
  const stale = listed.filter(({ name, type }) => name === hostname && type === 'AAAA')
  if (stale.length === 0) return []
  const contents = stale.map(({ content }) => content).join(', ')
  return [
    `${hostname} also has an AAAA record (${contents}), which this run does not manage. Most clients try it first, so it ` +
      `must not be out of date: check it, delete it, or set ${setting('record-type', 'A,AAAA')}.`,
  ]
}
