import { describeEnd } from '../../lib/expiry.ts'
import { presentIn, type StackState } from '../exported-state.ts'
import { types } from '../resource-names.ts'
import { fixOf } from '../settings/keys.ts'
import { daysAfter, noticeDays } from '../settings/readers/credentials.ts'
import type { StackSettings } from '../settings/stack-settings.ts'
import { warns } from './difference.ts'
import type { Check } from './look.ts'

/** Returns the commands that replace a token and hand the new one over. The minute lets them work twice a day. */
export const rotateToken = (): string =>
  `pulumi config set --plaintext tokenRotation ${new Date().toISOString().slice(0, 16)}, then pulumi up`

/** A credential that expires soon, or has expired. */
interface Expiring {
  readonly name: string
  /** `2026-09-27`, or a time on that day. */
  readonly endsOn: string
  readonly fix: string
}

/** How to replace the credentials that somebody creates by hand, by the names in `credentialsExpireOn` that the pages use. */
const replacements: Readonly<Record<string, string>> = {
  'minting token': 'set it: pulumi config set --secret mintingApiToken, then pulumi up',
  'deploy token': 'store it as CLOUDFLARE_DEPLOY_TOKEN of the environment infra',
  'reading token':
    'store it as CLOUDFLARE_READING_TOKEN of the environment infra and as CLOUDFLARE_DEPLOY_TOKEN of the environment infra-drift',
  'clock token': 'set it: pulumi config set --secret clockToken, then pulumi up',
  'GitHub token': 'store it as HOMEPORT_GITHUB_TOKEN of the environments that have it',
}

/** Returns the credentials that have expired or expire within 30 days, the earliest first. */
export function expiringCredentials(
  { signIn, record, credentials }: StackSettings,
  state: StackState,
  now: number,
): readonly Expiring[] {
  const today = new Date(now).toISOString().slice(0, 10)
  const secrets = (signIn?.clientSecrets ?? []).map(({ slot, endsOn }) => ({
    name: `The client secret ${slot}`,
    endsOn,
    fix: `Rotate it: pulumi config set --plaintext secretRotation${slot.toUpperCase()} ${today}, then pulumi up.`,
  }))
  const certificates = presentIn(state, types.certificate).map(({ inputs }) => ({
    name: 'The certificate of the registration',
    endsOn: String(inputs['endDate']),
    fix: `${fixOf('clientCertificateNext')}, then pulumi up.`,
  }))
  const own = [record?.token.expiresOn ?? []].flat().map(endsOn => ({
    name: 'The DNS token',
    endsOn,
    fix: 'Set a later expiry, which keeps its value: pulumi config set --plaintext tokenExpiresOn …, then pulumi up.',
  }))
  const others = credentials.map(({ name, endsOn }) => ({
    name: `The ${name}`,
    endsOn,
    fix: `Create a new one, ${replacements[name] ?? 'store it where the old one is'}, and set its expiry date in credentialsExpireOn. Delete the old one.`,
  }))
  return [...secrets, ...certificates, ...own, ...others]
    .filter(({ endsOn }) => Date.parse(endsOn) <= daysAfter(now, noticeDays))
    .toSorted((one, other) => (one.endsOn < other.endsOn ? -1 : 1))
}

/** Reports credentials that expire soon, or have expired. */
export const expiryChecks: Check = ({ settings, state, now }) =>
  expiringCredentials(settings, state, now).map(({ name, endsOn, fix }) =>
    warns(`${name} ${describeEnd(Date.parse(endsOn), now)}.`, fix),
  )
