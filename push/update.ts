import { checkAddress } from '../action/address/check.ts'
import { checkCreations, type Decision, decide, describePlan, outcomeOf } from '../action/decide.ts'
import type { Problem } from '../action/problem.ts'
import { findRecord } from '../action/reconcile.ts'
import type { RecordType } from '../action/record-type.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import { type Listing, listRecords } from '../action/records/list.ts'
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
  readonly problem?: Problem
}

/** Longest wait before a name is read again to create a record, in milliseconds. Two callers rarely wait equally long. */
const maxWaitMs = 2000

/** Decides as the action does about a record that should hold an address, which was checked before. */
export function decideFor(
  { zoneId, expectedCidrs, ttl, proxied, create }: PushSettings,
  { name: hostname, types }: Host,
  [type, address]: readonly [RecordType, string],
  listing: Listing,
): Decision {
  const value = { address, suffixes: new Map(), warnings: [] }
  return decide({ hostname, zoneId }, { type, votes: [], value }, listing, {
    addressRules: { expectedCidrs, allowReserved: false },
    record: { ttl, proxied, create, onDrift: 'warn' },
    addresses: types.map(each => ({ type: each })),
  })
}

/**
 * Keeps the records of one host: reads them once, writes only what differs, and confirms it. Types fail apart. An address
 * that no record may hold costs no request.
 */
export async function updateHost(
  settings: PushSettings,
  host: Host,
  addresses: Addresses,
  api: DnsApi,
): Promise<readonly Outcome[]> {
  const { expectedCidrs, zoneId } = settings
  let known: Listing | null = null
  const list = async () => {
    known ??= await listRecords(api, { hostname: host.name, zoneId })
    return known
  }

  async function keep(type: RecordType, address: string): Promise<Outcome> {
    const unfit = checkAddress(address, { expectedCidrs, allowReserved: false })
    if (unfit) return { line: lineFor(unfit), problem: unfit }
    let decision = decideFor(settings, host, [type, address], await list())
    if (decision.kind === 'write' && decision.plan.kind === 'create') {
      const [checked = decision] = await checkCreations([decision], api)
      if (checked.kind === 'write') {
        await api.clock.sleep(api.clock.random() * maxWaitMs)
        known = null
      }
      decision = checked.kind === 'write' ? decideFor(settings, host, [type, address], await list()) : checked
    }
    if (decision.kind === 'done') {
      const { problem } = decision.outcome.result
      return problem ? { line: lineFor(problem), problem } : { line: { word: 'nochg', text: address } }
    }
    const { slot, plan } = decision
    known = null
    const written = await write(api, slot, plan)
    if (written.kind === 'failed') return unconfirmed(written.problem)
    if (plan.kind === 'update') {
      // Another instance may have written an older address since.
      const listing = await list()
      if (listing.kind === 'failed') return unconfirmed(listing.problem)
      const found = findRecord(listing.records, host.name, type)
      const message = `The ${type} record of ${host.name} was written, but then changed by something else.`
      if (found.kind !== 'one' || found.record.content !== address)
        return unconfirmed({ reason: 'write-unconfirmed', message })
    }
    const result = plan.kind === 'update' ? 'updated' : 'created'
    const change: RecordResult = { ...describePlan(slot, address, plan), result }
    const { problem } = outcomeOf(change, written.record).result
    const line: Line = problem ? lineFor(problem) : { word: 'good', text: address }
    return { line, change, ...(problem && { problem }) }
  }

  const outcomes: Outcome[] = []
  for (const type of host.types) {
    const address = addresses[type]
    if ('problem' in address) outcomes.push({ line: { word: 'dnserr', text: address.problem } })
    else if (address.value !== null) outcomes.push(await keep(type, address.value))
  }
  return outcomes
}

/** A write whose outcome is unknown may pass: the next request reads the record again. */
function unconfirmed(problem: Problem): Outcome {
  return { line: { word: '911' }, problem }
}
