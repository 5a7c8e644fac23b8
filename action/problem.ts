import { quote } from '../lib/quote.ts'
import type { Reading as ReadingOf } from '../lib/reading.ts'

/** Why a run failed: the values of the output `reason`. */
export const reasons = [
  'invalid-input',
  'hosted-runner',
  'address-unavailable',
  'address-disagreement',
  'address-not-public',
  'address-unexpected',
  'token-rejected',
  'zone-not-found',
  'record-missing',
  'record-ambiguous',
  'record-conflict',
  'record-read-only',
  'write-rejected',
  'write-unconfirmed',
  'not-served',
  'proxy-rejected',
  'tls-untrusted',
  'rate-limited',
  'service-unavailable',
  'deadline',
  'unexpected',
] as const

export type Reason = (typeof reasons)[number]

/** The settings that a problem can be about, named as inputs of the action. */
export type ProblemSetting =
  | 'address'
  | 'allow-reserved-address'
  | 'base-url'
  | 'create'
  | 'expected-cidr'
  | 'timeout'
  | 'zone-id'

/**
 * Why something was refused or failed. The message is safe to print, since remote text in it is quoted. It names no setting:
 * the action and the endpoint have their own names and advice for that in `setting`.
 */
export interface Problem {
  readonly reason: Reason
  readonly message: string
  readonly setting?: ProblemSetting
}

/** A value that was read, or why there is none: a problem, or the end of a sentence, safe to print. */
export type Reading<Value, Why = Problem> = ReadingOf<Value, Why>

/** Describes an error that nothing handles, without its stack, which may hold remote text. */
export function unhandledError(error: unknown, consequence = 'It may have written records by then'): Problem {
  const what = error instanceof Error ? quote(`${error.name}: ${error.message}`) : 'an unknown error'
  return {
    reason: 'unexpected',
    message: `Homeport failed unexpectedly with ${what}. ${consequence}. Check the records, and report this.`,
  }
}
