import { redactSecrets } from '../../lib/redact.ts'
import { overall, type RecordResult, type RoundResult } from '../result.ts'
import { wordProblem } from './sentences.ts'

/**
 * Returns every output of a round. The single values are the first record's, but `address` has a line for each type of the
 * first hostname, and `result`, `changed` and `reason` stand for all records.
 */
export function outputsOf(round: RoundResult) {
  const [first] = round.records
  const problem = round.problem ?? round.records.find(record => record.problem)?.problem
  const addresses = round.records.filter(({ hostname, address }) => hostname === first?.hostname && address)
  return {
    result: overall(round),
    changed: round.records.some(record => record.written),
    address: addresses.map(({ address }) => address).join('\n'),
    'previous-address': first?.previousAddress ?? '',
    'record-id': first?.recordId ?? '',
    drift: first?.drift ?? [],
    requests: round.requests,
    reason: problem?.reason ?? '',
    records: round.records.map(outputOf),
  }
}

function outputOf(record: RecordResult) {
  return {
    hostname: record.hostname,
    type: record.type,
    'zone-id': record.zoneId ?? '',
    result: record.result,
    changed: record.written,
    address: record.address,
    'previous-address': record.previousAddress,
    'record-id': record.recordId,
    drift: record.drift,
    ...(record.servedBy && { 'served-by': record.servedBy }),
    reason: record.problem?.reason ?? null,
    message: record.problem ? redactSecrets(wordProblem(record.problem)) : null,
  }
}
