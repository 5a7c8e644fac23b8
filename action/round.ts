import { checkAddress } from './address/check.ts'
import { collectVotes, dissentGraceMs } from './address/detect.ts'
import { askEcho } from './address/echo.ts'
import { countVotes, type Verdict, type Vote } from './address/quorum.ts'
import { type Clock, startDeadline } from './deadline.ts'
import type { Exchange } from './http.ts'
import type { AddressSource, Settings } from './inputs/settings.ts'
import type { Problem } from './problem.ts'
import { type Plan, reconcile } from './reconcile.ts'
import type { DnsRecord, Drift, Target } from './records/record.ts'
import { type DnsService, type Listing, listRecords } from './records/service.ts'
import type { RecordResult, RoundResult } from './result.ts'
import { type PlannedWrite, write } from './write.ts'

/** How many hostnames are looked up at once. */
const lookupsAtOnce = 8

type Detection = { readonly votes: readonly Vote[] } & (
  | { readonly address: string; readonly dissent: readonly string[] }
  | { readonly problem: Problem }
)

/**
 * One round: learn the address while the records are listed, decide for every hostname, and only then write, one
 * hostname after the other. A hostname that fails does not hold up the rest; an address that is unknown or refused
 * touches nothing. An address that was given and is refused costs no request.
 */
export async function runRound(settings: Settings, exchange: Exchange, clock: Clock): Promise<RoundResult> {
  const startMs = clock.now()
  let requests = 0
  const counted: Exchange = call => {
    requests++
    return exchange(call)
  }
  const service: DnsService = {
    baseUrl: settings.baseUrl,
    token: settings.token,
    exchange: counted,
    deadline: startDeadline(settings.timeoutMs, clock),
    clock,
  }
  const finish = (records: readonly RecordResult[], detection: Detection | null): RoundResult => ({
    records,
    votes: detection?.votes ?? [],
    warnings: detection ? dissentWarnings(detection) : [],
    problem: null,
    requests,
    elapsedMs: clock.now() - startMs,
  })

  const { source } = settings
  const refusal = source.kind === 'given' ? checkAddress(source.address, settings.addressRules) : null
  if (refusal) {
    return finish(
      settings.targets.map(target => failed(target, refusal, null, null)),
      null,
    )
  }
  const [detection, listings] = await Promise.all([
    detect(source, settings, service),
    listAll(settings.targets, service),
  ])
  const records: RecordResult[] = []
  for (const [index, target] of settings.targets.entries()) {
    const listing = listings[index]
    if (listing) records.push(await settle(target, detection, listing, settings, service))
  }
  return finish(records, detection)
}

/** The address that this round works with, or why there is none. */
async function detect(source: AddressSource, settings: Settings, service: DnsService): Promise<Detection> {
  if (source.kind === 'given') return { votes: [], address: source.address, dissent: [] }
  const { exchange, deadline } = service
  const votes = await collectVotes(
    source.sources,
    source.quorum,
    (echo, signal) => askEcho(echo, exchange, deadline.callMs, signal),
    dissentGraceMs,
  )
  const verdict = countVotes(votes, source.quorum)
  if (verdict.kind !== 'agreed') {
    return { votes, problem: explainVerdict(verdict, votes, source.quorum) }
  }
  const problem = checkAddress(verdict.address, settings.addressRules)
  return problem ? { votes, problem } : { votes, address: verdict.address, dissent: verdict.dissent }
}

function explainVerdict(
  verdict: Exclude<Verdict, { kind: 'agreed' }>,
  votes: readonly Vote[],
  quorum: number,
): Problem {
  const said = votes
    .map(vote => `${vote.source}: ${'address' in vote ? vote.address : vote.problem}`)
    .join('; ')
  if (verdict.kind === 'disagreement') {
    return {
      reason: 'address-disagreement',
      message:
        `The address sources disagree (${said}); quorum asks for ${quorum} with one and the same address. The record ` +
        'was left alone. If this lasts, look for a VPN, a second uplink or a source that lies.',
    }
  }
  return {
    reason: 'address-unavailable',
    message:
      `Only ${verdict.valid} of ${votes.length} address sources answered with an address, and quorum asks for ` +
      `${quorum} (${said}). The record was left alone. Check the host's connection, or choose other address-sources.`,
  }
}

function dissentWarnings(detection: Detection): readonly string[] {
  if ('problem' in detection || detection.dissent.length === 0) return []
  const dissenters = detection.votes.filter(vote => 'address' in vote && vote.address !== detection.address)
  const named = dissenters.map(vote => `${vote.source}: ${'address' in vote ? vote.address : ''}`).join('; ')
  return [
    `The quorum sees ${detection.address}, but not every source does (${named}). If this lasts, look for a second ` +
      'uplink or a source that lies.',
  ]
}

async function listAll(targets: readonly Target[], service: DnsService): Promise<readonly Listing[]> {
  const listings: Listing[] = []
  for (let start = 0; start < targets.length; start += lookupsAtOnce) {
    const batch = targets.slice(start, start + lookupsAtOnce)
    listings.push(
      ...(await Promise.all(batch.map(({ zoneId, hostname }) => listRecords(service, zoneId, hostname)))),
    )
  }
  return listings
}

/** Decides for one hostname, and writes if that is decided. */
async function settle(
  target: Target,
  detection: Detection,
  listing: Listing,
  settings: Settings,
  service: DnsService,
): Promise<RecordResult> {
  if ('problem' in detection) return failed(target, detection.problem, null, null)
  const { address } = detection
  if (listing.kind === 'failed') {
    const { reason, message } = listing.problem
    return failed(target, { reason, message: `${message} Nothing was written.` }, address, null)
  }
  const plan = reconcile(listing.records, { ...settings.record, name: target.hostname, address })
  if (plan.kind === 'refuse') return failed(target, plan.problem, address, null)
  if (plan.kind === 'unchanged') {
    return { ...found(target, address, plan), result: 'unchanged', problem: null, notes: [] }
  }
  if (settings.dryRun) {
    const result = plan.kind === 'update' ? 'would-update' : 'would-create'
    return { ...found(target, address, plan), result, problem: null, notes: [] }
  }
  const written = await write(service, target.zoneId, plan)
  if (written.kind === 'failed') return failed(target, written.problem, address, plan)
  return {
    ...found(target, address, plan),
    recordId: written.record.id,
    result: plan.kind === 'update' ? 'updated' : 'created',
    problem: null,
    notes: written.notes,
  }
}

/** What is known of a hostname from its plan. */
function found(target: Target, address: string | null, plan: Exclude<Plan, { kind: 'refuse' }> | null) {
  const record: DnsRecord | null = plan && plan.kind !== 'create' ? plan.record : null
  const drift: readonly Drift[] = plan && plan.kind !== 'create' ? plan.drift : []
  return {
    hostname: target.hostname,
    zoneId: target.zoneId,
    address,
    previousAddress: record?.content ?? null,
    recordId: record?.id ?? null,
    drift,
  }
}

function failed(
  target: Target,
  problem: Problem,
  address: string | null,
  plan: PlannedWrite | null,
): RecordResult {
  return { ...found(target, address, plan), result: 'failed', problem, notes: [] }
}
