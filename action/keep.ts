import { checkAddress } from './address/check.ts'
import type { Detection } from './address/detect.ts'
import {
  checkCreations,
  type Decision,
  type DecisionInputs,
  decide,
  describePlan,
  type Outcome,
  outcomeOf,
  type PlannedDecision,
} from './decide.ts'
import type { Problem } from './problem.ts'
import { findRecord } from './reconcile.ts'
import type { RecordType } from './record-type.ts'
import { type DnsApi, deleteRecord } from './records/dns-api.ts'
import { type Listing, listRecords } from './records/list.ts'
import type { ZonedTarget } from './records/record.ts'
import type { RecordResult } from './result.ts'
import { write } from './write.ts'

/** A name whose records follow the addresses that somebody gives. */
export interface KeptName extends DecisionInputs {
  readonly target: ZonedTarget
}

/** What happened to a record. It is unsettled after a write that was not confirmed: only a later read shows what it holds. */
export interface Kept {
  readonly result: RecordResult
  readonly unsettled: boolean
}

/** Longest wait before a name is read again to create a record, in milliseconds. Two callers rarely wait equally long. */
const maxWaitMs = 2000

/** Decides about the record that should hold a given address. An address that no record may hold needs no listing. */
export function decideGiven(
  { target, ...inputs }: KeptName,
  type: RecordType,
  address: string,
  listing: Listing | null,
): Decision {
  const problem = checkAddress(address, inputs.addressRules)
  const learned = problem ? { problem } : { value: { address, suffixes: new Map(), warnings: [] } }
  const detection: Detection = { type, votes: [], ...learned }
  return decide(target, detection, listing, inputs)
}

/**
 * Keeps the records of one name: lists them once, writes only what differs, and lists them again after each write. Types
 * fail apart. An address that no record may hold costs no request. Several callers may keep the same name at once.
 */
export async function keepRecords(
  name: KeptName,
  addresses: readonly (readonly [RecordType, string])[],
  api: DnsApi,
): Promise<readonly Kept[]> {
  const { target, addressRules, record } = name
  let known: Listing | null = null

  async function decideNow(type: RecordType, address: string): Promise<Decision> {
    if (checkAddress(address, addressRules) === null) known ??= await listRecords(api, target)
    return decideGiven(name, type, address, known)
  }

  async function keep(type: RecordType, address: string): Promise<Kept> {
    let decision = await decideNow(type, address)
    if (isCreation(decision)) [decision = decision] = await checkCreations([decision], api)
    // Callers that create at once soon delete all records but one.
    const isTie = record.create && isAmbiguous(decision)
    if (isCreation(decision) || isTie) {
      await api.clock.sleep(isTie ? maxWaitMs : api.clock.random() * maxWaitMs)
      known = null
      decision = await decideNow(type, address)
    }
    if (decision.kind === 'done') return { result: decision.outcome.result, unsettled: false }
    known = null
    const { result } = await carryOutOne(decision, api)
    const failed = (problem: Problem): Kept => ({
      result: { ...result, result: 'failed', problem },
      unsettled: true,
    })
    const doubt = result.problem?.reason === 'not-served' ? null : result.problem
    const creates = decision.plan.kind === 'create'
    const mayExist = creates && (result.written || doubt?.reason === 'write-unconfirmed')
    if (doubt && !mayExist) return failed(doubt)
    // Another caller may have written an older address since, or NS records hide the name.
    let after = await decideNow(type, address)
    if (creates && isAmbiguous(after)) {
      if (await withdraw(api, target, result, known)) return failed(undone(target))
      known = null
      after = await decideNow(type, address)
    }
    const problem = after.kind === 'done' ? after.outcome.result.problem : unconfirmed(target, type)
    const done = creates ? 'created' : 'updated'
    if (problem === null)
      return { result: { ...result, result: done, ifServed: null, problem }, unsettled: false }
    if (problem.reason !== 'not-served') return failed(doubt ?? unconfirmed(target, type))
    return { result: { ...result, result: 'failed', ifServed: done, problem }, unsettled: false }
  }

  const kept: Kept[] = []
  for (const [type, address] of addresses) kept.push(await keep(type, address))
  return kept
}

/** Carries out a planned write, and returns the outcome for its record. `secondTurn` is as in `write`. */
export async function carryOutOne(
  { slot, plan, notes }: PlannedDecision,
  api: DnsApi,
  secondTurn?: () => Promise<void>,
): Promise<Outcome> {
  const written = await write(api, slot, plan, secondTurn)
  const planned = describePlan(slot, plan.body.content, plan)
  const known = {
    ...planned,
    recordId: written.record?.id ?? planned.recordId,
    written: written.record !== null,
  }
  if (written.kind === 'failed') {
    return { result: { ...known, result: 'failed', problem: written.problem }, confirmed: null }
  }
  const result = plan.kind === 'update' ? 'updated' : 'created'
  return outcomeOf({ ...known, result, notes: [...written.notes, ...notes] }, written.record)
}

/**
 * Deletes the record that a call created while a list shows another one, unless it was changed since. Returns whether it
 * did. If the answer to the creation was lost, it is the record with the address: the service takes no second one with it.
 * Of two callers, the one with the lower ID waits for the other to delete its own, so that one record stays.
 */
async function withdraw(
  api: DnsApi,
  target: ZonedTarget,
  { recordId, type, address }: RecordResult,
  listing: Listing | null,
): Promise<boolean> {
  function lookAt(listed: Listing | null) {
    const found = listed?.kind === 'listed' ? findRecord(listed.records, target.hostname, type) : null
    const records = found?.kind === 'several' ? found.records : []
    const own = records.find(({ id, content }) => content === address && id === (recordId ?? id))
    return own ? { id: own.id, isLowest: records.every(({ id }) => id >= own.id) } : null
  }
  let own = lookAt(listing)
  if (own?.isLowest) {
    await api.clock.sleep(Math.min(maxWaitMs, api.deadline.remainingMs() / 2))
    own = lookAt(await listRecords(api, target))
  }
  return own !== null && deleteRecord(api, target, own.id)
}

function isAmbiguous(decision: Decision): boolean {
  return decision.kind === 'done' && decision.outcome.result.problem?.reason === 'record-ambiguous'
}

function isCreation(decision: Decision): boolean {
  return decision.kind === 'write' && decision.plan.kind === 'create'
}

function unconfirmed({ hostname }: ZonedTarget, type: RecordType): Problem {
  const message = `The ${type} record of ${hostname} was written, but the next read did not show it. Something else may have changed it.`
  return { reason: 'write-unconfirmed', message }
}

function undone({ hostname }: ZonedTarget): Problem {
  const message = `Something else created a record of ${hostname} at the same time, so the one of this request was deleted again.`
  return { reason: 'write-unconfirmed', message }
}
