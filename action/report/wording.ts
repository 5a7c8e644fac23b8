import type { Problem, ProblemSetting } from '../problem.ts'

/** What to do about the input that a problem is about. */
const advice: Readonly<Record<ProblemSetting, string>> = {
  address: 'You can also pass the address in the input address.',
  'allow-reserved-address': 'If the record is for an internal network, set allow-reserved-address: true.',
  'base-url': 'Check base-url.',
  create: 'Or let Homeport create it: set create: true.',
  'expected-cidr': 'If your provider did, add the range to expected-cidr.',
  timeout: 'If this happens again, raise timeout.',
  'zone-id': 'Set zone-id to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
}

/** Returns a problem in the words of the action, safe to print. */
export function wordProblem({ message, setting }: Problem): string {
  return setting === undefined ? message : `${message} ${advice[setting]}`
}
