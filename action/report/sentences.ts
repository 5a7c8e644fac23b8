import type { Vote } from '../address/quorum.ts'
import type { RecordResult, Result, RoundResult } from '../result.ts'

/** Describes one hostname in a line: what its record held, what it holds now if that is known, and what was done. */
export function describeRecord(record: RecordResult): string {
  const { hostname, previousAddress, address, problem } = record
  const before = previousAddress ?? 'no record'
  const sentences: Readonly<Record<Result, string>> = {
    unchanged: `${address}, already right, nothing was written`,
    updated: `${before} -> ${address}, updated`,
    created: `${before} -> ${address}, created`,
    'would-update': `${before}, would be updated to ${address} (dry run, nothing was written)`,
    'would-create': `${before}, would be created with ${address} (dry run, nothing was written)`,
    failed: `failed (${problem?.reason})${address ? `, wanted ${address}` : ''}`,
  }
  return `${hostname}: ${sentences[record.result]}`
}

export function describeVote(vote: Vote): string {
  return 'address' in vote ? vote.address : `no vote: ${vote.problem}`
}

/** Counts the requests of a round and gives its duration in seconds. */
export function describeEffort({ requests, elapsedMs }: RoundResult): string {
  return `${requests} ${requests === 1 ? 'request' : 'requests'} in ${(elapsedMs / 1000).toFixed(2)} s.`
}

/** Returns what a reader should know although it made nothing fail. */
export function warningsOf(round: RoundResult): readonly string[] {
  return [...round.warnings, ...round.records.flatMap(record => [...driftNotes(record), ...record.notes])]
}

/** Returns each message once with its reason, since several hostnames may share one. */
export function problemsOf(round: RoundResult): ReadonlyMap<string, string> {
  const problems = [round.problem, ...round.records.map(record => record.problem)]
  return new Map(problems.flatMap(problem => (problem ? [[problem.message, problem.reason]] : [])))
}

function driftNotes({ hostname, result, drift }: RecordResult): readonly string[] {
  const tense: Readonly<Record<Result, string>> = {
    unchanged: 'was left as it is; set on-drift: repair to have it changed',
    updated: 'was changed by this write',
    created: '',
    'would-update': 'would be changed by the write',
    'would-create': '',
    failed: 'was to be changed by the write that failed',
  }
  return drift.map(
    ({ field, found, wanted }) =>
      `${field} of ${hostname} was found as ${found} where ${wanted} is wanted, and ${tense[result]}.`,
  )
}
