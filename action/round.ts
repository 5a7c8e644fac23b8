import type { Exchange } from '../lib/exchange.ts'
import { getOrCreate } from '../lib/get-or-create.ts'
import { isInDomain } from '../lib/hostname.ts'
import { addressFor, type Detection, detectAddress } from './address/detect.ts'
import type { Interfaces } from './address/interface.ts'
import { type Clock, startDeadline } from './deadline.ts'
import { checkCreation, decide, failedResult, type PlannedDecision, resultOf } from './decide.ts'
import type { Inputs } from './inputs/inputs.ts'
import type { DnsClient } from './name-servers.ts'
import { unhandledError } from './problem.ts'
import { createReach } from './reach.ts'
import { type DnsApi, openDnsApi } from './records/dns-api.ts'
import { type Listing, listZone, readZoneSuffix } from './records/list.ts'
import type { Target } from './records/record.ts'
import { createZoneFinder, type NamedZone } from './records/zone.ts'
import { type Writes, writeAndRemember } from './remembered-writes.ts'
import { mayBeStale, type RecordResult, type RoundResult } from './result.ts'
import { type NameServer, type Verification, type VerifyContext, verifyServed } from './verify.ts'

/** What a round can use besides HTTP and a clock. */
export interface RoundOptions {
  /** Lists the addresses of this host. */
  readonly interfaces: () => Interfaces
  /** Creates a client of name servers, for `verify: dns`. */
  readonly dns: () => DnsClient
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
const nothingWritten = 'It wrote nothing for this name'

/**
 * Runs one round: learns the address while it lists the records, and decides for each record and writes it, a few at a time, as
 * soon as both are known. So a zone that is silent or a record that fails stops no other. An address that is unknown or refused
 * changes nothing, and refusing a given address costs no request.
 */
export async function runRound(
  inputs: Inputs,
  exchange: Exchange,
  clock: Clock,
  { interfaces, dns, zones, writes }: RoundOptions,
): Promise<RoundResult> {
  const startMs = clock.now()
  const deadline = startDeadline(inputs.timeoutMs, clock)
  let requests = 0
  const reach = createReach()
  const counted: Exchange = async request => {
    requests++
    for (;;) {
      const timeoutMs = Math.min(request.timeoutMs, Math.max(1, deadline.remainingMs()))
      const outcome = await exchange({ ...request, timeoutMs })
      reach.note(outcome)
      // Until something got through, the network may still come up, as after boot or resume. After that, a route is missing.
      const isLate = outcome.kind === 'failure' && outcome.cause === 'unsent' && !reach.hasReached()
      if (!isLate || deadline.remainingMs() <= offlinePauseMs) return outcome
      await clock.sleep(offlinePauseMs, request.signal)
    }
  }
  const api = openDnsApi(inputs, counted, deadline, clock)
  const knownZones = new Set(zones.values())
  const detecting = detectAll(inputs, { ...api, interfaces })
  const given = inputs.addresses.every(({ source }) => source.kind === 'given')
  const isHopeless = given && (await detecting).every(detection => 'problem' in detection)
  const list = createLister(inputs.targets, zones, api)
  const suffixes = new Map<string, ReturnType<typeof readZoneSuffix>>()
  const suffixOf = (zoneId: string) => getOrCreate(suffixes, zoneId, () => readZoneSuffix(api, zoneId))
  /** Keeps the records of one name, as soon as its zone is listed and the addresses are known. An unforeseen error counts for one only. */
  const keep = async (name: Target): Promise<readonly RecordResult[]> => {
    const unlisted = (error: unknown): Listed => {
      return { target: name, listing: { problem: unhandledError(error, nothingWritten) } }
    }
    const listed = isHopeless ? { target: name, listing: null } : list(name).catch(unlisted)
    const [detections, { target, listing }] = await Promise.all([detecting, listed])
    const keepOne = async (detection: Detection): Promise<RecordResult> => {
      const learned =
        'value' in detection ? addressFor(target.hostname, detection.value, inputs.addressRules) : detection
      const decided = decide({ ...target, type: detection.type }, learned, listing, inputs)
      const decision = await checkCreation(decided, suffixOf)
      if (decision.kind === 'done') return decision.result
      return inputs.dryRun ? wouldWrite(decision) : writeAndRemember(decision, api, writes)
    }
    return Promise.all(
      detections.map(detection =>
        keepOne(detection).catch((error: unknown) =>
          failedResult({ ...target, type: detection.type }, null, unhandledError(error)),
        ),
      ),
    )
  }
  const results = (await Promise.all(inputs.targets.map(keep))).flat()
  const detections = await detecting
  // The names of a zone that was looked up share one object.
  const newZones = [...new Set(zones.values())].filter(zone => !knownZones.has(zone))
  const zoneWarnings = newZones.flatMap(({ warning }) => warning ?? [])
  for (const { hostname, problem } of results) if (mayBeStale(problem)) zones.delete(hostname)
  const verified =
    inputs.verify === 'dns' ? await verifyAll(results, inputs.servers, { ...api, dns: dns() }) : results
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

/** Learns the address of each type. */
function detectAll(
  { addresses, addressRules }: Inputs,
  context: Parameters<typeof detectAddress>[2],
): Promise<readonly Detection[]> {
  return Promise.all(
    addresses.map(address =>
      detectAddress(address, addressRules, context).catch((error: unknown): Detection => {
        const problem = unhandledError(error, nothingWritten)
        return { type: address.type, votes: [], problem }
      }),
    ),
  )
}

/**
 * Creates a function that lists the records at a name. It finds the zone of a name that has no zone ID, and lists each zone once, with every
 * name that may be in it.
 */
function createLister(targets: readonly Target[], zones: Map<string, NamedZone>, api: DnsApi) {
  const findZone = createZoneFinder(api, zones)
  const lists = new Map<string, ReturnType<typeof listZone>>()
  return async (target: Target): Promise<Listed> => {
    const { hostname, zoneId } = target
    const zone = zoneId === null ? await findZone(hostname) : { value: { id: zoneId, name: null } }
    if ('problem' in zone) return { target, listing: zone }
    const { id, name } = zone.value
    const isInZone = (other: Target) =>
      other.zoneId === zoneId &&
      (name === null || (isInDomain(other.hostname, name) && (zones.get(other.hostname)?.id ?? id) === id))
    const list = getOrCreate(lists, `${id} ${name}`, () =>
      listZone(
        api,
        id,
        targets.filter(isInZone).map(other => other.hostname),
      ),
    )
    return { target: { ...target, zoneId: id }, listing: (await list).get(hostname) ?? null }
  }
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
