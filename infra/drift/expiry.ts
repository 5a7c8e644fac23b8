import { daysAfter } from '../config-readers.ts'
import type { Settings } from '../settings.ts'
import type { Difference } from './difference.ts'

/** How many days before it expires a credential is reported. */
export const noticeDays = 30

/** A credential that expires soon. */
export interface Expiring {
  readonly name: string
  /** `2026-09-27T00:00:00Z` */
  readonly endsOn: string
  /** Whole days until then. */
  readonly days: number
  readonly cure: string
}

/** Returns the client secrets and the DNS token that expire within 30 days, the earliest first. */
export function expiringCredentials({ clientSecrets, token }: Settings, now: number): readonly Expiring[] {
  const today = new Date(now).toISOString().slice(0, 10)
  const secrets = clientSecrets.map(({ slot, endsOn }) => ({
    name: `The client secret ${slot}`,
    endsOn,
    cure: `Rotate it: pulumi config set --plaintext secretRotation${slot.toUpperCase()} ${today}, then pulumi up.`,
  }))
  const own =
    token.expiresOn === null
      ? []
      : [
          {
            name: 'The DNS token',
            endsOn: token.expiresOn,
            cure: 'Set a later expiry, which keeps its value: pulumi config set --plaintext tokenExpiresOn …, then pulumi up.',
          },
        ]
  return [...secrets, ...own]
    .filter(({ endsOn }) => Date.parse(endsOn) <= daysAfter(now, noticeDays))
    .map(one => ({ ...one, days: Math.max(0, Math.floor((Date.parse(one.endsOn) - now) / daysAfter(0, 1))) }))
    .toSorted((one, other) => (one.endsOn < other.endsOn ? -1 : 1))
}

/** Reports credentials that expire soon. */
export function expiringDifferences(settings: Settings, now: number): readonly Difference[] {
  return expiringCredentials(settings, now).map(({ name, endsOn, days, cure }) => ({
    level: 'warning',
    text: `${name} expires on ${endsOn.slice(0, 10)}, in ${days === 1 ? 'one day' : `${days} days`}.`,
    cure,
  }))
}
