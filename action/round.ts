import { type Detection, detectAddress } from './address/detect.ts'
import type { Interfaces } from './address/interface.ts'
import { mapConcurrently } from './concurrency.ts'
import { type Clock, startDeadline } from './deadline.ts'
import { checkCreations, type Decision, decide, describePlan } from './decide.ts'
import type { Exchange } from './http.ts'
import type { Settings } from './inputs/settings.ts'
import { unhandledError } from './problem.ts'
import { type Listing, listTargets } from './records/list.ts'
import { type DnsService, openService } from './records/service.ts'
import type { RecordResult, RoundResult } from './result.ts'
import { write } from './write.ts'

/** How many of the planned writes of a round are done. */
export interface Progress {
  readonly done: number
  readonly total: number
}

/** What a round can use besides HTTP and time. */
export interface RoundOptions {
  /** Lists the addresses of this host. */
  readonly interfaces: () => Interfaces
  readonly onProgress: (progress: Progress) => void
}

/** Enough to hide the delay of the network, and far below the limit of 200 requests per second and address. */
const maxConcurrentWrites = 4

/**
 * Runs one round: learns the address while it lists the records, decides for every record, and only then writes, a few
 * records at a time. A record that fails does not stop the others. An address that is unknown or refused changes nothing,
 * and refusing a given address costs no request.
 */
export async function runRound(
  settings: Settings,
  exchange: Exchange,
  clock: Clock,
  { interfaces = () => ({}), onProgress = () => {} }: Partial<RoundOptions> = {},
): Promise<RoundResult> {
  const startMs = clock.now()
  let requests = 0
  const counted: Exchange = request => {
    requests++
    return exchange(request)
  }
  const service = openService(settings, counted, startDeadline(settings.timeoutMs, clock), clock)
  const { detections, listings } = await look(settings, service, interfaces)
  const decisions = settings.targets.flatMap(target =>
    detections.map(detection => decide(target, detection, listings.get(target.hostname), settings)),
  )
  const checked = await checkCreations(decisions, service)
  const records = await carryOut(checked, settings.dryRun, service, onProgress)
  return {
    records,
    votes: detections.flatMap(({ type, votes }) => votes.map(vote => ({ ...vote, type }))),
    warnings: detections.flatMap(detection => (detection.kind === 'address' ? detection.warnings : [])),
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs,
  }
}

/** Learns the addresses and lists the records, both at once. */
async function look(
  { addresses, addressRules, targets }: Settings,
  service: DnsService,
  interfaces: () => Interfaces,
): Promise<{ readonly detections: readonly Detection[]; readonly listings: ReadonlyMap<string, Listing> }> {
  const detecting = Promise.all(
    addresses.map(address =>
      detectAddress(address, addressRules, { ...service, interfaces }).catch((error: unknown): Detection => {
        const problem = unhandledError(error, 'It wrote nothing')
        return { kind: 'none', type: address.type, votes: [], problem }
      }),
    ),
  )
  const given = addresses.every(({ source }) => source.kind === 'given')
  const hopeless = given && (await detecting).every(({ kind }) => kind === 'none')
  const listing = hopeless ? new Map() : listTargets(service, targets)
  const [detections, listings] = await Promise.all([detecting, listing])
  return { detections, listings }
}

/** Carries out what was decided, and returns the result of every record in order. */
async function carryOut(
  decisions: readonly Decision[],
  dryRun: boolean,
  service: DnsService,
  onProgress: (progress: Progress) => void,
): Promise<readonly RecordResult[]> {
  const writes = decisions.filter(decision => decision.kind === 'write')
  let done = 0
  const results = await mapConcurrently(writes, maxConcurrentWrites, async decision => {
    const result = dryRun ? dryRunResult(decision) : await carryOutOne(decision, service)
    onProgress({ done: ++done, total: writes.length })
    return result
  })
  const written = results.values()
  return decisions.flatMap(decision =>
    decision.kind === 'done' ? decision.result : (written.next().value ?? []),
  )
}

async function carryOutOne(
  { slot, plan, notes }: Extract<Decision, { kind: 'write' }>,
  service: DnsService,
): Promise<RecordResult> {
  const written = await write(service, slot, plan)
  const known = describePlan(slot, plan.body.content, plan)
  const recordId = written.record?.id ?? known.recordId
  if (written.kind === 'failed') {
    const { problem, record } = written
    return { ...known, recordId, result: 'failed', written: record !== null, problem, notes: [] }
  }
  const result = plan.kind === 'update' ? 'updated' : 'created'
  return { ...known, recordId, result, written: true, problem: null, notes: [...written.notes, ...notes] }
}

function dryRunResult({ slot, plan, notes }: Extract<Decision, { kind: 'write' }>): RecordResult {
  const result = plan.kind === 'update' ? 'would-update' : 'would-create'
  return { ...describePlan(slot, plan.body.content, plan), result, written: false, problem: null, notes }
}
