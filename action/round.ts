import { type Detection, detectAddress } from './address/detect.ts'
import { type Clock, startDeadline } from './deadline.ts'
import type { Exchange } from './http.ts'
import type { Settings } from './inputs/settings.ts'
import type { Problem } from './problem.ts'
import { type Plan, reconcile } from './reconcile.ts'
import { explainRefusal } from './records/problems.ts'
import type { Target, Wanted } from './records/record.ts'
import { type DnsService, type Listing, listRecords } from './records/service.ts'
import type { RecordResult, RoundResult } from './result.ts'
import { write } from './write.ts'

const maxConcurrentLists = 8

/**
 * Runs one round: learns the address while it lists the records, decides for every hostname, and only then writes, one
 * hostname at a time. A hostname that fails does not stop the others. An address that is unknown or refused changes
 * nothing, and refusing a given address costs no request.
 */
export async function runRound(settings: Settings, exchange: Exchange, clock: Clock): Promise<RoundResult> {
  const startMs = clock.now()
  let requests = 0
  const service: DnsService = {
    baseUrl: settings.baseUrl,
    token: settings.token,
    exchange: request => {
      requests++
      return exchange(request)
    },
    deadline: startDeadline(settings.timeoutMs, clock),
    clock,
  }
  const { detection, records } = await reconcileAll(settings, service)
  return {
    records,
    votes: detection.votes,
    warnings: detection.kind === 'address' ? detection.warnings : [],
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs,
  }
}

async function reconcileAll(
  settings: Settings,
  service: DnsService,
): Promise<{ readonly detection: Detection; readonly records: readonly RecordResult[] }> {
  const { targets } = settings
  const detecting = detectAddress(settings.source, settings.addressRules, service)
  const early = settings.source.kind === 'given' ? await detecting : null
  const [detection, listings] = await Promise.all([
    detecting,
    early?.kind === 'none' ? [] : listAll(targets, service),
  ])
  if (detection.kind === 'none') {
    return { detection, records: targets.map(target => failed(target, detection.problem, null, null)) }
  }
  const records: RecordResult[] = []
  for (const [index, target] of targets.entries()) {
    const listing = listings[index]
    if (listing) records.push(await reconcileTarget(target, detection.address, listing, settings, service))
  }
  return { detection, records }
}

async function listAll(targets: readonly Target[], service: DnsService): Promise<readonly Listing[]> {
  const listings: Listing[] = []
  for (let start = 0; start < targets.length; start += maxConcurrentLists) {
    const batch = targets.slice(start, start + maxConcurrentLists)
    listings.push(...(await Promise.all(batch.map(target => listRecords(service, target)))))
  }
  return listings
}

/** Decides for one hostname, and writes if that is the decision. */
async function reconcileTarget(
  target: Target,
  address: string,
  listing: Listing,
  settings: Settings,
  service: DnsService,
): Promise<RecordResult> {
  if (listing.kind === 'failed') {
    const { reason, message } = listing.problem
    const then = reason === 'service-unavailable' ? '; the next run tries again' : ''
    return failed(target, { reason, message: `${message} Nothing was written${then}.` }, address, null)
  }
  const wanted: Wanted = { ...settings.record, hostname: target.hostname, type: 'A', address }
  const plan = reconcile(listing.records, wanted)
  if (plan.kind === 'refuse') return failed(target, explainRefusal(plan.refusal, wanted), address, null)
  const known = found(target, address, plan)
  if (plan.kind === 'unchanged') return { ...known, result: 'unchanged', problem: null, notes: [] }
  if (settings.dryRun) {
    const result = plan.kind === 'update' ? 'would-update' : 'would-create'
    return { ...known, result, problem: null, notes: [] }
  }
  const written = await write(service, target, plan)
  if (written.kind === 'failed') return failed(target, written.problem, address, plan)
  return {
    ...known,
    recordId: written.record.id,
    result: plan.kind === 'update' ? 'updated' : 'created',
    problem: null,
    notes: written.notes,
  }
}

/** Returns what a plan says about a hostname. */
function found(target: Target, address: string | null, plan: Exclude<Plan, { kind: 'refuse' }> | null) {
  const existing = plan && plan.kind !== 'create' ? plan : null
  return {
    ...target,
    address,
    previousAddress: existing?.record.content ?? null,
    recordId: existing?.record.id ?? null,
    drift: existing?.drift ?? [],
  }
}

function failed(
  target: Target,
  problem: Problem,
  address: string | null,
  plan: Exclude<Plan, { kind: 'refuse' }> | null,
): RecordResult {
  return { ...found(target, address, plan), result: 'failed', problem, notes: [] }
}
