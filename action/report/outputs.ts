import { firstProblem, overall, type RecordResult, type RoundResult } from '../result.ts'
import type { Watched } from '../watch.ts'
import { redactSecrets } from './redact.ts'

/**
 * Returns every output of a round. The single values are the first record's, but `address` has a line for each type of the
 * first hostname, and `result`, `changed` and `reason` stand for all records.
 */
export function outputsOf(round: RoundResult): Readonly<Record<string, string>> {
  const [first] = round.records
  const addresses = round.records.filter(({ hostname, address }) => hostname === first?.hostname && address)
  return {
    result: overall(round),
    changed: String(round.records.some(record => record.written)),
    address: addresses.map(({ address }) => address).join('\n'),
    'previous-address': first?.previousAddress ?? '',
    'record-id': first?.recordId ?? '',
    drift: JSON.stringify(first?.drift ?? []),
    requests: String(round.requests),
    reason: firstProblem(round)?.reason ?? '',
    records: JSON.stringify(round.records.map(outputOf)),
  }
}

/** Returns the outputs that stand for every round of a run, not for its last one. */
export function watchOutputsOf({ anyWritten, requests }: Watched): Readonly<Record<string, string>> {
  return { changed: String(anyWritten), requests: String(requests) }
}

function outputOf(record: RecordResult) {
  return {
    hostname: record.hostname,
    type: record.type,
    'zone-id': record.zoneId,
    result: record.result,
    changed: record.written,
    address: record.address,
    'previous-address': record.previousAddress,
    'record-id': record.recordId,
    drift: record.drift,
    ...(record.servedBy && { 'served-by': record.servedBy }),
    reason: record.problem?.reason ?? null,
    message: record.problem ? redactSecrets(record.problem.message) : null,
  }
}
