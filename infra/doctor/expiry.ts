import { describeEnd } from '../../lib/expiry.ts'
import { daysAfter } from '../settings/readers.ts'
import type { StackSettings, TokenEnd } from '../settings/stack-settings.ts'
import type { Finding } from './finding.ts'

/** Days before its expiry from which a credential is reported. */
export const noticeDays = 30

/** Returns the commands that replace a token and hand the new one over. The minute lets them work twice a day. */
export const rotateToken = (key: 'tokenRotation' | 'pushTokenRotation' = 'tokenRotation'): string =>
  `pulumi config set --plaintext ${key} ${new Date().toISOString().slice(0, 16)}, then pulumi up`

/** A credential that expires soon, or has expired. */
export interface Expiring {
  readonly name: string
  /** `2026-09-27`, or a time on that day. */
  readonly endsOn: string
  readonly fix: string
}

/** The tokens that somebody creates by hand: the name of each, and how to replace it. */
export const createdByHand: Readonly<Record<TokenEnd, { readonly name: string; readonly fix: string }>> = {
  mintingTokenExpiresOn: {
    name: 'minting token',
    fix: replacement(
      'mintingTokenExpiresOn',
      'set it (pulumi config set --secret mintingApiToken)',
      // A refresh before the program would use the old one.
      ', then pulumi up --run-program',
    ),
  },
  deployTokenExpiresOn: {
    name: 'deploy token',
    fix: replacement('deployTokenExpiresOn', 'store it as CLOUDFLARE_DEPLOY_TOKEN of the environment infra'),
  },
  readingTokenExpiresOn: {
    name: 'reading token',
    fix: replacement(
      'readingTokenExpiresOn',
      'store it as CLOUDFLARE_READING_TOKEN of the environment infra and as CLOUDFLARE_DEPLOY_TOKEN of the environment infra-drift',
    ),
  },
  githubTokenExpiresOn: {
    name: 'GitHub token',
    fix: replacement(
      'githubTokenExpiresOn',
      'store it as HOMEPORT_GITHUB_TOKEN of the environments that have it',
    ),
  },
}

function replacement(key: TokenEnd, store: string, rest = ''): string {
  return `Create a new one, ${store}, and set its end: pulumi config set --plaintext ${key} YYYY-MM-DD${rest}. Delete the old one.`
}

/** Returns the credentials that have expired or expire within 30 days, the earliest first. */
export function expiringCredentials(
  { signIn, record, tokenEnds }: StackSettings,
  now: number,
): readonly Expiring[] {
  const today = new Date(now).toISOString().slice(0, 10)
  const secrets = (signIn?.clientSecrets ?? []).map(({ slot, endsOn }) => ({
    name: `The client secret ${slot}`,
    endsOn,
    fix: `Rotate it: pulumi config set --plaintext secretRotation${slot.toUpperCase()} ${today}, then pulumi up.`,
  }))
  const own = {
    name: 'The DNS token',
    endsOn: record?.token.expiresOn ?? null,
    fix: 'Set a later expiry, which keeps its value: pulumi config set --plaintext tokenExpiresOn …, then pulumi up.',
  }
  const others = Object.entries(createdByHand).map(([key, { name, fix }]) => ({
    name: `The ${name}`,
    endsOn: tokenEnds[key as TokenEnd],
    fix,
  }))
  return [...secrets, own, ...others]
    .flatMap(({ endsOn, ...rest }) => (endsOn === null ? [] : [{ ...rest, endsOn }]))
    .filter(({ endsOn }) => Date.parse(endsOn) <= daysAfter(now, noticeDays))
    .toSorted((one, other) => (one.endsOn < other.endsOn ? -1 : 1))
}

/** Reports credentials that expire soon, or have expired. */
export function expiringDifferences(settings: StackSettings, now: number): readonly Finding[] {
  return expiringCredentials(settings, now).map(({ name, endsOn, fix }) => ({
    level: 'warning',
    text: `${name} ${describeEnd(Date.parse(endsOn), now)}.`,
    fix,
  }))
}
