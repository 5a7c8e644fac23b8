import type { RecordType } from '../lib/record-type.ts'
import type { Vote } from './address/quorum.ts'
import { type Problem, unhandledError } from './problem.ts'
import type { DnsRecord, Drift, Target } from './records/record.ts'

/** What happened to one record: the values of the output `result`. */
export type Result = 'unchanged' | 'updated' | 'created' | 'would-update' | 'would-create' | 'failed'

export interface RecordResult extends Target {
  readonly type: RecordType
  readonly result: Result
  /** The address the record should hold; null while it is not known. */
  readonly address: string | null
  /** The content found; null when the record was not found or not read. */
  readonly previousAddress: string | null
  readonly recordId: string | null
  /** The record as Cloudflare confirmed it; null if it did not, and in a dry run. */
  readonly confirmed: DnsRecord | null
  /** The name servers of the record; null unless they were asked and all of them serve it. */
  readonly servedBy: readonly string[] | null
  /** Whether the run is known to have written the record, even if the hostname failed afterwards. */
  readonly written: boolean
  /** What the result would be if the record were served; null unless that is all that failed. */
  readonly ifServed: Result | null
  readonly drift: readonly Drift[]
  /** Set exactly when `result` is `failed`. */
  readonly problem: Problem | null
  /** What a reader should know even though nothing failed. Safe to print. */
  readonly notes: readonly string[]
}

/** One round over every hostname. */
export interface RoundResult {
  readonly records: readonly RecordResult[]
  /** One for each address source and type, in the configured order; empty when the address was given. */
  readonly votes: readonly (Vote & { readonly type: RecordType })[]
  /** Warnings about the whole round. Safe to print. */
  readonly warnings: readonly string[]
  /** Set when the round failed before any hostname was looked at. */
  readonly problem: Problem | null
  /** HTTP requests sent, every attempt counted. */
  readonly requests: number
  readonly elapsedMs: number
}

/** How serious a result is: a failure most of all. */
export const severity: Readonly<Record<Result, number>> = {
  unchanged: 0,
  'would-create': 1,
  'would-update': 1,
  created: 2,
  updated: 2,
  failed: 3,
}

/** Returns whether what was kept of an earlier round, a zone or the token that a problem is about, may be stale. */
export function mayBeStale(problem: Problem | null): boolean {
  return problem?.reason === 'zone-not-found' || problem?.reason === 'token-rejected'
}

/** Returns the result of a run that ended before a round, because its inputs were refused or something threw. */
export function withoutRound(problem: Problem): RoundResult {
  return { records: [], votes: [], warnings: [], problem, requests: 0, elapsedMs: 0 }
}

/** Returns the result of a round that threw. */
export function failedRound(error: unknown): RoundResult {
  return withoutRound(unhandledError(error))
}

/** Returns the most serious result. */
export function overall(round: RoundResult): Result {
  if (round.problem) return 'failed'
  const [worst] = round.records.toSorted((one, other) => severity[other.result] - severity[one.result])
  return worst?.result ?? 'failed'
}
