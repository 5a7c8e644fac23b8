import { formatDay } from '../../../src/settings/day.ts'
import { daysAfter } from '../../settings/readers.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
import { type KnownCredential, noticeDays, replacementOf } from '../expiry.ts'
import { findingsOf, type Step, type StepFinding } from '../finding.ts'

/**
 * Compares the end of a token with the configuration, from which the nightly run knows it.
 * @param endsOn the day that the service names; null for a token without an end
 * @param settings null before the stack exists
 */
export function checkEnd(
  step: Step,
  name: KnownCredential,
  endsOn: string | null,
  settings: StackSettings | null,
  now: number,
): StepFinding {
  const { ok, missing } = findingsOf(step)
  const known = settings?.credentials.find(one => one.name === name)?.endsOn ?? null
  const end = endsOn === null ? 'has no end' : `ends on ${endsOn}`
  if (endsOn !== null && Date.parse(endsOn) <= daysAfter(now, noticeDays)) {
    return missing(`The ${name} ${end}.`, replacementOf(name))
  }
  if (settings === null || known === endsOn) return ok(`The ${name} ${end}.`)
  const inStack = findingsOf('stack')
  return inStack.missing(
    `The ${name} ${end}, ${known === null ? 'which the stack does not know' : `but credentialsExpireOn has ${known}`}.`,
    setEnds([
      ...settings.credentials.filter(one => one.name !== name),
      ...(endsOn === null ? [] : [{ name, endsOn }]),
    ]),
  )
}

const setEnds = (ends: StackSettings['credentials']): string =>
  ends.length === 0
    ? 'pulumi config rm credentialsExpireOn'
    : `pulumi config set --plaintext credentialsExpireOn '${ends.map(({ name, endsOn }) => `${name} ${endsOn}`).join('; ')}'`

/**
 * Returns the day in UTC of a time that a service names; null if it names none. Cloudflare writes `2027-05-31T00:00:00Z`,
 * GitHub `2027-05-31 00:00:00 UTC`, for some tokens with an offset (go-github #2650).
 */
export function dayOf(text: unknown): string | null {
  const time = typeof text === 'string' && /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : formatDay(time)
}
