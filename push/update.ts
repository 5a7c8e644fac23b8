import { checkAddress } from '../action/address/check.ts'
import type { Detection } from '../action/address/detect.ts'
import { checkCreations, type Decision, type DecisionInputs, decide, describePlan } from '../action/decide.ts'
import type { Problem } from '../action/problem.ts'
import { findRecord } from '../action/reconcile.ts'
import type { DnsApi } from '../action/records/dns-api.ts'
import { type Listing, listRecords } from '../action/records/list.ts'
import { explainHidden } from '../action/records/problems.ts'
import type { RecordResult } from '../action/result.ts'
import { write } from '../action/write.ts'
import { type Line, lineFor } from './answers.ts'
import type { Host } from './hosts.ts'
import type { Addresses } from './protocol.ts'
import type { PushSettings } from './settings.ts'

/** What happened to one record. The problem is safe to log. */
export interface Outcome {
  readonly line: Line
  /** Set if the record was changed and confirmed. */
  readonly change: RecordResult | null
  readonly problem: Problem | null
}

/** Longest wait before a name is read again to create a record, in milliseconds. Two callers rarely wait as long. */
const maxWaitMs = 500

/**
 * Keeps the records of one host: reads them, writes only what differs, and confirms it. Types fail apart. An address that no
 * record may hold costs no request.
 */
export async function updateHost(
  settings: PushSettings,
  { name, types }: Host,
  addresses: Addresses,
  api: DnsApi,
): Promise<readonly Outcome[]> {
  const target = { hostname: name, zoneId: settings.zoneId }
  const inputs: DecisionInputs = {
    addressRules: { expectedCidrs: settings.expectedCidrs, allowReserved: false },
    record: { ttl: settings.ttl, proxied: settings.proxied, create: settings.create, onDrift: 'warn' },
    addresses: types.map(type => ({ type })),
  }
  const known = readOnce(() => listRecords(api, target))
  const outcomes: Outcome[] = []
  for (const type of types) {
    const address = addresses[type]
    if (address === undefined) continue
    const problem = checkAddress(address, inputs.addressRules)
    const value = { address, suffixes: new Map(), warnings: [] }
    const detection: Detection = problem ? { type, votes: [], problem } : { type, votes: [], value }
    const decideNow = async () => decide(target, detection, problem ? null : await known.read(), inputs)
    outcomes.push(await carryOut(decideNow, known, api))
  }
  return outcomes
}

/** What is known of a name. What changes it, and what may have, is followed by another read. */
interface Known {
  readonly read: () => Promise<Listing>
  readonly forget: () => void
}

function readOnce(list: () => Promise<Listing>): Known {
  let listing: Listing | null = null
  return {
    read: async () => (listing ??= await list()),
    forget: () => {
      listing = null
    },
  }
}

async function carryOut(decideNow: () => Promise<Decision>, known: Known, api: DnsApi): Promise<Outcome> {
  let decision = await decideNow()
  if (decision.kind === 'write' && decision.plan.kind === 'create') {
    const [checked = decision] = await checkCreations([decision], api)
    decision = checked
    if (decision.kind === 'write') {
      await api.clock.sleep(api.clock.random() * maxWaitMs)
      known.forget()
      decision = await decideNow()
    }
  }
  if (decision.kind === 'done') {
    const { problem, address } = decision.outcome.result
    if (problem) return { line: lineFor(problem), change: null, problem }
    return { line: { word: 'nochg', text: address ?? '' }, change: null, problem: null }
  }
  const { slot, plan } = decision
  const to = plan.body.content
  known.forget()
  const written = await write(api, slot, plan)
  if (written.kind === 'failed') return unconfirmed(written.problem)
  if (plan.kind === 'update') {
    // Another instance may have written an older address since.
    const listing = await known.read()
    if (listing.kind === 'failed') return unconfirmed(listing.problem)
    const found = findRecord(listing.records, slot.hostname, slot.type)
    if (found.kind !== 'one' || found.record.content !== to) {
      const message = `The ${slot.type} record of ${slot.hostname} was written, but then changed by something else.`
      return unconfirmed({ reason: 'write-unconfirmed', message })
    }
  }
  const result = plan.kind === 'update' ? 'updated' : 'created'
  const change: RecordResult = { ...describePlan(slot, to, plan), result }
  if (written.record.hiddenBy.length > 0) {
    const problem = explainHidden(written.record)
    return { line: lineFor(problem), change, problem }
  }
  return { line: { word: 'good', text: to }, change, problem: null }
}

/** A write whose outcome is unknown may pass: the next request reads the record again. */
function unconfirmed(problem: Problem): Outcome {
  return { line: { word: '911' }, change: null, problem }
}
