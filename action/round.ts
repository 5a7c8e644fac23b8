import { addressFor, type Detection, detectAddress } from './address/detect.ts'
import type { Interfaces } from './address/interface.ts'
import { type Clock, startDeadline } from './deadline.ts'
import type { Exchange } from './http.ts'
import type { Settings } from './inputs/settings.ts'
import type { Problem } from './problem.ts'
import { type Plan, reconcile } from './reconcile.ts'
import { explainRefusal } from './records/problems.ts'
import type { RecordType, Target, Wanted } from './records/record.ts'
import { type DnsService, type Listing, listRecords } from './records/service.ts'
import { staleIpv6Notes } from './records/stale-ipv6.ts'
import type { RecordResult, RoundResult } from './result.ts'
import { write } from './write.ts'

const maxConcurrentLists = 8

/** One record to keep. */
type Slot = Target & { readonly type: RecordType }

/**
 * Runs one round: learns the address while it lists the records, decides for every hostname, and only then writes, one
 * hostname at a time. A hostname that fails does not stop the others. An address that is unknown or refused changes
 * nothing, and refusing a given address costs no request.
 */
export async function runRound(
  settings: Settings,
  exchange: Exchange,
  clock: Clock,
  interfaces: () => Interfaces = () => ({}),
): Promise<RoundResult> {
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
  const { detections, records } = await reconcileAll(settings, service, interfaces)
  return {
    records,
    votes: detections.flatMap(({ type, votes }) => votes.map(vote => ({ ...vote, type }))),
    warnings: detections.flatMap(detection => (detection.kind === 'address' ? detection.warnings : [])),
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs,
  }
}

async function reconcileAll(
  settings: Settings,
  service: DnsService,
  interfaces: () => Interfaces,
): Promise<{ readonly detections: readonly Detection[]; readonly records: readonly RecordResult[] }> {
  const { targets, addresses } = settings
  const detecting = Promise.all(
    addresses.map(address => detectAddress(address, settings.addressRules, { ...service, interfaces })),
  )
  const given = addresses.every(({ source }) => source.kind === 'given')
  const hopeless = given && (await detecting).every(({ kind }) => kind === 'none')
  const [detections, listings] = await Promise.all([detecting, hopeless ? [] : listAll(targets, service)])
  const records: RecordResult[] = []
  for (const [index, target] of targets.entries()) {
    for (const detection of detections) {
      records.push(await reconcileRecord(target, detection, listings[index], settings, service))
    }
  }
  return { detections, records }
}

async function listAll(targets: readonly Target[], service: DnsService): Promise<readonly Listing[]> {
  const listings: Listing[] = []
  for (let start = 0; start < targets.length; start += maxConcurrentLists) {
    const batch = targets.slice(start, start + maxConcurrentLists)
    listings.push(...(await Promise.all(batch.map(target => listRecords(service, target)))))
  }
  return listings
}

/** Decides for one record, and writes if that is the decision. */
async function reconcileRecord(
  target: Target,
  detection: Detection,
  listing: Listing | undefined,
  settings: Settings,
  service: DnsService,
): Promise<RecordResult> {
  const { type } = detection
  const slot = { ...target, type }
  const learned =
    detection.kind === 'none' ? detection : addressFor(target.hostname, detection, settings.addressRules)
  if ('problem' in learned) return failed(slot, learned.problem, null, null)
  const { address } = learned
  if (!listing) throw new Error('Records are listed whenever an address is known.')
  if (listing.kind === 'failed') {
    const { reason, message } = listing.problem
    const then = reason === 'service-unavailable' ? '; the next run tries again' : ''
    return failed(slot, { reason, message: `${message} Nothing was written${then}.` }, address, null)
  }
  const wanted: Wanted = { ...settings.record, hostname: target.hostname, type, address }
  const plan = reconcile(listing.records, wanted)
  if (plan.kind === 'refuse') return failed(slot, explainRefusal(plan.refusal, wanted), address, null)
  const known = found(slot, address, plan)
  if (plan.kind === 'unchanged') return { ...known, result: 'unchanged', problem: null, notes: [] }
  const managesIpv6 = settings.addresses.some(other => other.type === 'AAAA')
  const notes = managesIpv6 ? [] : staleIpv6Notes(listing.records, target.hostname)
  if (settings.dryRun) {
    const result = plan.kind === 'update' ? 'would-update' : 'would-create'
    return { ...known, result, problem: null, notes }
  }
  const written = await write(service, target, plan)
  if (written.kind === 'failed') return failed(slot, written.problem, address, plan)
  return {
    ...known,
    recordId: written.record.id,
    result: plan.kind === 'update' ? 'updated' : 'created',
    problem: null,
    notes: [...written.notes, ...notes],
  }
}

/** Returns what a plan says about a record. */
function found(slot: Slot, address: string | null, plan: Exclude<Plan, { kind: 'refuse' }> | null) {
  const existing = plan && plan.kind !== 'create' ? plan : null
  return {
    ...slot,
    address,
    previousAddress: existing?.record.content ?? null,
    recordId: existing?.record.id ?? null,
    drift: existing?.drift ?? [],
  }
}

function failed(
  slot: Slot,
  problem: Problem,
  address: string | null,
  plan: Exclude<Plan, { kind: 'refuse' }> | null,
): RecordResult {
  return { ...found(slot, address, plan), result: 'failed', problem, notes: [] }
}
