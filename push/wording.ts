import type { Problem } from '../action/problem.ts'
import type { SettingName } from './settings.ts'

/** What to do about the setting that a problem is about. The endpoint has no setting for the others. */
const advice: Readonly<Partial<Record<NonNullable<Problem['setting']>, `${string}${SettingName}${string}`>>> =
  {
    'base-url': 'Check BASE_URL.',
    'expected-cidr': 'If your provider did, add the range to EXPECTED_CIDR.',
    'zone-id': 'Set ZONE_ID to the 32 hex digits shown as "Zone ID" on the overview page of the zone.',
  }

/** Returns a problem in the words of the endpoint, safe to print. */
export function wordProblem({ message, setting }: Problem): string {
  const fix = setting && advice[setting]
  return fix === undefined ? message : `${message} ${fix}`
}
