import { overall, type RecordResult, type RoundResult, severity } from '../result.ts'
import { redactSecrets } from '../text/redact.ts'
import { wordProblem } from './sentences.ts'

/**
 * Returns every output of a round. The single values are the first record's, but `address` has a line for each type of the
 * first hostname, and `result`, `changed` and `reason` stand for all records. `records` gets at most `maxCharacters`.
 */
export function outputsOf(round: RoundResult, maxCharacters = Number.POSITIVE_INFINITY) {
  const [first] = round.records
  const problem = round.problem ?? round.records.find(record => record.problem)?.problem
  const addresses = round.records.filter(({ hostname, address }) => hostname === first?.hostname && address)
  const records = round.records.map(record => ({
    severity: severity[record.result],
    output: outputOf(record),
  }))
  const kept = keepWithin(records, maxCharacters, ({ output }) => JSON.stringify(output).length + 1)
  return {
    result: overall(round),
    changed: round.records.some(record => record.written),
    address: addresses.map(({ address }) => address).join('\n'),
    'previous-address': first?.previousAddress ?? '',
    'record-id': first?.recordId ?? '',
    drift: first?.drift ?? [],
    requests: round.requests,
    reason: problem?.reason ?? '',
    records: kept.map(({ output }) => output),
    'records-omitted': records.length - kept.length,
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

/**
 * GitHub takes 1 MB of outputs from a job, counted as UTF-16 (docs.github.com, "Workflow syntax": `jobs.<job_id>.outputs`). This
 * leaves room for the other outputs.
 */
export const maxRecordsCharacters = 480_000

/** Returns the entries that fit, in their order. The most serious are kept first, and of equal ones the first. */
export function keepWithin<Entry extends { readonly severity: number }>(
  entries: readonly Entry[],
  max: number,
  sizeOf: (entry: Entry) => number,
): readonly Entry[] {
  let left = max
  const kept = new Set<Entry>()
  for (const entry of entries.toSorted((one, other) => other.severity - one.severity)) {
    left -= sizeOf(entry)
    if (left < 0) break
    kept.add(entry)
  }
  return entries.filter(entry => kept.has(entry))
}
