/** Why a run is red: the values of the output `reason`. */
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
  'rate-limited',
  'service-unavailable',
  'deadline',
  'unexpected',
] as const

export type Reason = (typeof reasons)[number]

/** A refusal or failure. The message is ours, safe to print, and says what to do; remote text in it was quoted. */
export interface Problem {
  readonly reason: Reason
  readonly message: string
}
