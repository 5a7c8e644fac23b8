import { checkAddress } from '../action/address/check.ts'
import { checkCreations, type Decision, decide, describePlan } from '../action/decide.ts'
import type { Problem } from '../action/problem.ts'
import { findRecord } from '../action/reconcile.ts'
import type { RecordType } from '../action/record-type.ts'
import { type DnsApi, deleteRecord } from '../action/records/dns-api.ts'
import { type Listing, listRecords } from '../action/records/list.ts'
import type { DnsRecord, ZonedTarget } from '../action/records/record.ts'
import type { RecordResult } from '../action/result.ts'
import { write } from '../action/write.ts'
import { type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import type { Addresses } from './protocol.ts'
import type { PushSettings } from './settings.ts'

/** What happened to one record. The problem is safe to log. */
export interface Outcome {
  readonly line: Line
  /** The record, if it was changed and confirmed. */
  readonly change?: RecordResult
  readonly problem?: Problem | null
}

/** Longest wait before a name is read again to create a record, in milliseconds. Two callers rarely wait equally long. */
const maxWaitMs = 2000

/** Decides as the action does about a record that should hold an address. */
export function decideFor(
  { zoneId, expectedCidrs, ttl, proxied, create }: PushSettings,
  { name: hostname, types }: Host,
  [type, address]: readonly [RecordType, string],
  listing: Listing | null,
): Decision {
  const value = { address, suffixes: new Map(), warnings: [] }
  return decide({ hostname, zoneId }, { type, votes: [], value }, listing, {
    addressRules: { expectedCidrs, allowReserved: false },
    record: { ttl, proxied, create, onDrift: 'warn' },
    addresses: types.map(each => ({ type: each })),
  })
}

/**
 * Keeps the records of one host: reads them once, writes only what differs, and reads it back. Types fail apart. An
 * address that no record may hold costs no request.
 */
export async function updateHost(
  settings: PushSettings,
  host: Host,
  addresses: Addresses,
  api: DnsApi,
): Promise<readonly Outcome[]> {
  const { expectedCidrs, zoneId } = settings
  const target = { hostname: host.name, zoneId }
  let known: Listing | null = null

  async function decideNow(type: RecordType, address: string): Promise<Decision> {
    known ??= await listRecords(api, target)
    return decideFor(settings, host, [type, address], known)
  }

  async function keep(type: RecordType, address: string): Promise<Outcome> {
    const unfit = checkAddress(address, { expectedCidrs, allowReserved: false })
    if (unfit) return { line: lineFor(unfit), problem: unfit }
    let decision = await decideNow(type, address)
    if (isCreation(decision)) [decision = decision] = await checkCreations([decision], api)
    // Instances that create at once soon delete all records but one.
    const isTie = settings.create && isAmbiguous(decision)
    if (isCreation(decision) || isTie) {
      await api.clock.sleep(isTie ? maxWaitMs : api.clock.random() * maxWaitMs)
      known = null
      decision = await decideNow(type, address)
    }
    if (decision.kind === 'done') {
      const { problem } = decision.outcome.result
      return { line: problem ? lineFor(problem) : { word: 'nochg', text: address }, problem }
    }
    const { slot, plan } = decision
    known = null
    const written = await write(api, slot, plan)
    const doubt = written.kind === 'failed' ? written.problem : unconfirmed(type, host)
    const created = plan.kind === 'create' ? written.record : null
    if (written.kind === 'failed') {
      if (created === null) return failed(doubt)
      if (await withdraw(api, target, type, created)) return failed(undone(host))
    }
    // Another instance may have written an older address since, or NS records hide the name.
    const after = await decideNow(type, address)
    const problem = after.kind === 'done' ? after.outcome.result.problem : doubt
    if (problem !== null && problem.reason !== 'not-served') return failed(doubt)
    const result = plan.kind === 'update' ? 'updated' : 'created'
    const change = { ...describePlan(slot, address, plan), result } as const
    return { line: problem ? lineFor(problem) : { word: 'good', text: address }, change, problem }
  }

  const outcomes: Outcome[] = []
  for (const type of host.types) {
    const address = addresses[type]
    if ('problem' in address) outcomes.push({ line: { word: 'dnserr', text: address.problem } })
    else if (address.value !== null) outcomes.push(await keep(type, address.value))
  }
  return outcomes.length > 0 ? outcomes : [{ line: { word: 'dnserr', text: noAddress(host) } }]
}

/**
 * Deletes the record that a ping created while there is another one, unless it was changed since. Returns whether it did.
 * Of two pings, the one with the lower ID waits for the other to delete its own, so that one record stays.
 */
async function withdraw(
  api: DnsApi,
  target: ZonedTarget,
  type: RecordType,
  created: DnsRecord,
): Promise<boolean> {
  for (const waitMs of [0, maxWaitMs]) {
    await api.clock.sleep(Math.min(waitMs, api.deadline.remainingMs() / 2))
    const listing = await listRecords(api, target)
    const found = listing.kind === 'listed' ? findRecord(listing.records, target.hostname, type) : null
    if (found?.kind !== 'several') return false
    if (found.records.find(({ id }) => id === created.id)?.content !== created.content) return false
    if (waitMs > 0 || found.records.some(({ id }) => id < created.id))
      return deleteRecord(api, target, created.id)
  }
  return false
}

function failed(problem: Problem): Outcome {
  return { line: { word: '911' }, problem }
}

function isAmbiguous(decision: Decision): boolean {
  return decision.kind === 'done' && decision.outcome.result.problem?.reason === 'record-ambiguous'
}

function isCreation(decision: Decision): boolean {
  return decision.kind === 'write' && decision.plan.kind === 'create'
}

function unconfirmed(type: RecordType, { name }: Host): Problem {
  const message = `The ${type} record of ${name} was written, but the next read did not show it. Something else may have changed it.`
  return { reason: 'write-unconfirmed', message }
}

function undone({ name }: Host): Problem {
  const message = `Something else created a record of ${name} at the same time, so the one of this request was deleted again.`
  return { reason: 'write-unconfirmed', message }
}

function noAddress({ types }: Host): string {
  const [has, needs] = types.includes('A') ? ['IPv6', 'A'] : ['IPv4', 'AAAA']
  return `There is only an ${has} address, or none, for the ${needs} record. Send the address in myip.`
}
