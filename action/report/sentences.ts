import { nameVotes } from '../address/quorum.ts'
import type { Problem, ProblemSetting, Reason } from '../problem.ts'
import type { RecordResult, Result, RoundResult } from '../result.ts'
import { setting } from '../setting-names.ts'
import type { Watched } from '../watch.ts'

/** What to do about the input that a problem is about. `@` is replaced by the input, `@true` by the input with that value. */
const advice: Readonly<Record<ProblemSetting, string>> = {
  address: 'You can also pass the address as @.',
  'allow-reserved-address': 'If the record is for an internal network, set @true.',
  'base-url': 'Check @.',
  create: 'Or let Homeport create it: set @true.',
  'expected-cidr': 'If your provider did, add the range to @.',
  timeout: 'If this happens again, raise @.',
  'zone-id': 'Set @ to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
}

/** What happens without anybody doing something. */
const next: Readonly<Partial<Record<Reason, string>>> = {
  'service-unavailable': 'The next run tries again.',
  'write-unconfirmed': 'The next run checks again.',
}

/** Returns a problem in the words of the action, safe to print. */
export function wordProblem({ message, setting: about, reason }: Problem): string {
  const what = about && advice[about].replace(/@(true)?/, (_, value?: string) => setting(about, value))
  return [message, what, next[reason]].filter(Boolean).join(' ')
}

/** Describes one hostname in a line: its address before and now, if known, and what was done. */
export function describeRecord(record: RecordResult): string {
  const { hostname, type, previousAddress, address, problem } = record
  const before = previousAddress ?? 'no record'
  const sentences: Readonly<Record<Result, string>> = {
    unchanged: `${address}, already correct, nothing written`,
    updated: `${before} -> ${address}, updated`,
    created: `${before} -> ${address}, created`,
    'would-update': `${before}, would be updated to ${address} (dry run, nothing written)`,
    'would-create': `${before}, would be created with ${address} (dry run, nothing written)`,
    failed: `failed (${problem?.reason})${address ? `, wanted ${address}` : ''}`,
  }
  return `${hostname} ${type}: ${sentences[record.result]}`
}

/** Whether a record was changed, or is not as it should be. */
export function isNews({ result }: RecordResult): boolean {
  return result !== 'unchanged'
}

/** Describes a round that found nothing to change. */
export function describeCalm(round: RoundResult): string {
  const [first = '', ...others] = round.records.map(describeRecord)
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return [`${first}${more}.`, ...describeRound(round)].join(' ')
}

/**
 * Describes a round as a whole: the name servers that serve records if any were asked, which records are correct if only
 * some are, and how many requests and seconds it took.
 */
export function describeRound({ records, requests, elapsedMs }: RoundResult): readonly string[] {
  const servers = [...new Set(records.flatMap(({ servedBy }) => servedBy ?? []))].toSorted()
  const failed = records.filter(({ result }) => result === 'failed')
  const correct = records.filter(({ result }) => result !== 'failed' && !result.startsWith('would-'))
  const names = failed.map(({ hostname, type }) => `${hostname} (${type})`).join(', ')
  return [
    ...(servers.length > 0 ? [`Served by ${servers.join(', ')}.`] : []),
    ...(failed.length > 0 && correct.length > 0
      ? [`${correct.length} of ${records.length} records are correct. Not correct: ${names}.`]
      : []),
    ...(records.length > 0 ? [`${count(requests, 'request')} in ${(elapsedMs / 1000).toFixed(2)} s.`] : []),
  ]
}

/** Describes the rounds of one run. */
export function describeWatch({ rounds, failed, requests }: Watched): string {
  return `${count(rounds, 'round')}, ${failed} failed, ${count(requests, 'request')}.`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Returns what a reader should know even though nothing failed because of it, each once. */
export function warningsOf(round: RoundResult): readonly string[] {
  const notes = round.records.flatMap(record => [...driftNotes(record), ...record.notes])
  return [...new Set([...round.warnings, ...notes])]
}

/** Returns the votes that no problem lists. */
export function otherVotes(round: RoundResult): RoundResult['votes'] {
  const problems = [...problemsOf(round).keys()].join()
  return round.votes.filter(vote => !problems.includes(nameVotes([vote])))
}

/** Returns each problem once, worded, with its reason: several hostnames may share one. */
export function problemsOf(round: RoundResult): ReadonlyMap<string, Reason> {
  const problems = [round.problem, ...round.records.map(record => record.problem)]
  return new Map(problems.flatMap(problem => (problem ? [[wordProblem(problem), problem.reason]] : [])))
}

function driftNotes({ hostname, type, result, ifServed, drift }: RecordResult): readonly string[] {
  // What is created has no drift.
  const effects: Readonly<Partial<Record<Result, string>>> = {
    unchanged: `It was not changed. To change it, set ${setting('on-drift', 'repair')}.`,
    updated: 'This run changed it.',
    'would-update': 'The update would change it.',
    failed: 'The update that failed would have changed it.',
  }
  const effect = effects[ifServed ?? result]
  return drift.map(
    ({ field, found, wanted }) =>
      `The ${field} of ${hostname} (${type}) was ${found} instead of ${wanted}. ${effect}`,
  )
}
