import { isInDomain } from '../lib/url.ts'
import { addressFor, type Detection, detectAddress } from './address/detect.ts'
import type { Interfaces } from './address/interface.ts'
import { noteChangedBack, rememberWrite, type Writes } from './changed-back.ts'
import { inOrder, mapByItem, workInTurns } from './concurrency.ts'
import { type Clock, startDeadline } from './deadline.ts'
import { checkCreations, type Decision, decide, type PlannedDecision, resultOf } from './decide.ts'
import type { Exchange } from './exchange.ts'
import type { Inputs } from './inputs/inputs.ts'
import type { DnsClient } from './name-servers.ts'
import { unhandledError } from './problem.ts'
import { createReach } from './reach.ts'
import { type DnsApi, openDnsApi } from './records/dns-api.ts'
import { type Listing, listTargets } from './records/list.ts'
import type { Target, ZonedTarget } from './records/record.ts'
import { createZoneFinder, type NamedZone } from './records/zone.ts'
import { mayBeReplaced, type RecordResult, type RoundResult } from './result.ts'
import { type NameServer, type Verification, type VerifyContext, verifyServed } from './verify.ts'
import { carryOut, slotName } from './write.ts'

/** What a round can use besides HTTP and a clock. */
export interface RoundOptions {
  /** Lists the addresses of this host. */
  readonly interfaces: () => Interfaces
  /** Returns what asks name servers, for `verify: dns`. */
  readonly dns: () => DnsClient
  /** Remembers from round to round what failed when it was last tried, to try it last. */
  readonly failedLast: Set<string>
  /** Remembers from round to round the zones that were found, by hostname. */
  readonly zones: Map<string, NamedZone>
  /** Remembers from round to round what was written. */
  readonly writes: Writes
}

/** A target with its zone, and what is listed at its name; null if that was not needed. */
interface Listed {
  readonly target: Target
  readonly listing: Listing | null
}

/** Between two attempts to send while the network is not up. */
const offlinePauseMs = 250

/** Enough to hide the delay of the network, and far below the limit of 200 requests per second and address. */
const maxConcurrentWrites = 4

/** A look-up that gets no answer takes most of a round, and must not keep another name waiting. */
const maxConcurrentLookUps = 50

/**
 * Runs one round: learns the address while it lists the records, decides for every record, and only then writes, a few
 * records at a time. A zone or record that fails does not stop the others. An address that is unknown or refused changes nothing,
 * and refusing a given address costs no request.
 */
export async function runRound(
  inputs: Inputs,
  exchange: Exchange,
  clock: Clock,
  { interfaces, dns, failedLast, zones, writes }: RoundOptions,
): Promise<RoundResult> {
  const startMs = clock.now()
  const deadline = startDeadline(inputs.timeoutMs, clock)
  let requests = 0
  let isOnline = false
  const reach = createReach()
  const counted: Exchange = async request => {
    requests++
    for (;;) {
      const timeoutMs = Math.min(request.timeoutMs, Math.max(1, deadline.remainingMs()))
      const outcome = await exchange({ ...request, timeoutMs })
      isOnline ||= outcome.kind === 'response'
      reach.note(outcome)
      // Until something got through, the network may still come up, as after boot or resume. After that, a route is missing.
      const isLate = outcome.kind === 'failure' && outcome.cause === 'unsent' && !isOnline
      if (!isLate || deadline.remainingMs() <= offlinePauseMs) return outcome
      await clock.sleep(offlinePauseMs, request.signal)
    }
  }
  const api = openDnsApi(inputs, counted, deadline, clock, failedLast)
  const knownIds = new Set([...zones.values()].map(({ id }) => id))
  const { detections, listed } = await look(inputs, api, interfaces, zones)
  const decisions = listed.flatMap(({ target, listing }) =>
    detections.map(detection => {
      const learn = () =>
        'value' in detection ? addressFor(target.hostname, detection.value, inputs.addressRules) : detection
      return decide({ ...target, type: detection.type }, learn, listing, inputs)
    }),
  )
  const checked = await checkCreations(decisions, api)
  const results = await carryOutAll(checked, inputs.dryRun, api, writes)
  const found = new Map([...zones.values()].map(zone => [zone.id, zone]))
  const zoneWarnings = [...found.values()].flatMap(({ id, warning }) =>
    warning && !knownIds.has(id) ? warning : [],
  )
  for (const { hostname, problem } of results) if (mayBeReplaced(problem)) zones.delete(hostname)
  const { verify } = inputs
  const verified =
    verify.by === 'dns' ? await verifyAll(results, verify.servers, { ...api, dns: dns() }) : results
  return {
    records: verified.map(result => ({ ...result, problem: reach.explainIn(result.problem) })),
    votes: detections.flatMap(({ type, votes }) => votes.map(vote => ({ ...vote, type }))),
    warnings: [
      ...detections.flatMap(detection => ('value' in detection ? detection.value.warnings : [])),
      ...zoneWarnings,
    ],
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs,
  }
}

/** Learns the addresses and lists the records, both at once. */
async function look(
  { addresses, addressRules, targets }: Inputs,
  api: DnsApi,
  interfaces: () => Interfaces,
  zones: Map<string, NamedZone>,
): Promise<{ readonly detections: readonly Detection[]; readonly listed: readonly Listed[] }> {
  const detecting = Promise.all(
    addresses.map(address =>
      detectAddress(address, addressRules, { ...api, interfaces }).catch((error: unknown): Detection => {
        const problem = unhandledError(error, 'It wrote nothing')
        return { type: address.type, votes: [], problem }
      }),
    ),
  )
  const given = addresses.every(({ source }) => source.kind === 'given')
  const hopeless = given && (await detecting).every(detection => 'problem' in detection)
  const listing = hopeless ? targets.map(target => ({ target, listing: null })) : listAll(targets, zones, api)
  const [detections, listed] = await Promise.all([detecting, listing])
  return { detections, listed }
}

/**
 * Lists the records of every target, in order. Finds the zone of those that have no zone ID, and lists each as soon as it is
 * found.
 */
async function listAll(
  targets: readonly Target[],
  zones: Map<string, NamedZone>,
  api: DnsApi,
): Promise<readonly Listed[]> {
  const findZone = createZoneFinder(api, zones)
  const unzoned = targets.filter(target => !isZoned(target))
  const lists = new Map<string, ReturnType<typeof listTargets>>()
  /** Lists a zone once, with every name that may turn out to be in it. */
  const listZone = ({ id, name }: NamedZone) => {
    const inZone = unzoned.filter(
      ({ hostname }) => isInDomain(hostname, name) && (zones.get(hostname)?.id ?? id) === id,
    )
    const list =
      lists.get(id) ??
      listTargets(
        api,
        inZone.map(({ hostname }) => ({ hostname, zoneId: id })),
      )
    lists.set(id, list)
    return list
  }
  const findAndList = async (target: Target): Promise<Listed> => {
    const zone = await findZone(target.hostname)
    if ('problem' in zone) return { target, listing: zone }
    const { id, name } = zone.value
    const listing = (await listZone(zone.value)).get(target.hostname) ?? null
    const byName = listing && 'value' in listing ? { value: { ...listing.value, zoneSuffix: name } } : listing
    return { target: { ...target, zoneId: id }, listing: byName }
  }
  const [byId, byName] = await Promise.all([
    listTargets(api, targets.filter(isZoned)),
    mapByItem(unzoned, maxConcurrentLookUps, findAndList),
  ])
  return targets.map(target => byName.get(target) ?? { target, listing: byId.get(target.hostname) ?? null })
}

function isZoned(target: Target): target is ZonedTarget {
  return target.zoneId !== null
}

/** Carries out what was decided, and returns the result for every record in order. */
async function carryOutAll(
  decisions: readonly Decision[],
  dryRun: boolean,
  api: DnsApi,
  wrote: Writes,
): Promise<readonly RecordResult[]> {
  const { failedLast, clock } = api
  const planned = decisions.filter(decision => decision.kind === 'write')
  const results = new Map<Decision, RecordResult>()
  const writeOne = async (decision: PlannedDecision, secondTurn?: () => Promise<void>) => {
    results.set(decision, dryRun ? wouldWrite(decision) : await carryOutOne(decision, secondTurn))
  }
  const carryOutOne = async (decision: PlannedDecision, secondTurn?: () => Promise<void>) => {
    const result = await carryOut(noteChangedBack(decision, wrote), api, secondTurn)
    rememberWrite(decision, result.written, wrote)
    return result
  }
  if (planned.length > 1) {
    const hasFailed = ({ slot }: PlannedDecision) => failedLast.has(slotName(slot.hostname, slot.type))
    const writes = inOrder(planned, hasFailed, maxConcurrentWrites, clock.random)
    await workInTurns(writes, maxConcurrentWrites, writeOne)
  } else {
    for (const decision of planned) await writeOne(decision)
  }
  return decisions.flatMap(decision =>
    decision.kind === 'done' ? decision.result : (results.get(decision) ?? []),
  )
}

function wouldWrite({ slot, plan, notes }: PlannedDecision): RecordResult {
  const confirmed = plan.kind === 'update' ? plan.record : null
  const result = confirmed ? 'would-update' : 'would-create'
  return { ...resultOf(slot, plan.body.content, plan, { result, notes, confirmed }), confirmed: null }
}

/** Asks the name servers for every record that Cloudflare confirmed. */
async function verifyAll(
  results: readonly RecordResult[],
  servers: readonly NameServer[],
  context: VerifyContext,
): Promise<readonly RecordResult[]> {
  const records = results.flatMap(({ confirmed, ...result }) =>
    confirmed ? { ...result, address: confirmed.content, proxied: confirmed.proxied } : [],
  )
  const verifications = await verifyServed(records, servers, context).catch((error: unknown) => {
    const consequence = 'Cloudflare confirmed the record, but its name servers were not asked'
    return records.map((): Verification => ({ problem: unhandledError(error, consequence) }))
  })
  const next = verifications.values()
  return results.map((result): RecordResult => {
    const verification = result.confirmed ? next.next().value : null
    if (!verification) return result
    if ('value' in verification) {
      const { servedBy, notes } = verification.value
      return { ...result, servedBy, notes: [...result.notes, ...notes] }
    }
    return { ...result, result: 'failed', ifServed: result.result, problem: verification.problem }
  })
}
