import { foldName, isPlain } from '../employees/user-names.ts'
import type { Settings } from '../settings/table.ts'

/** A profile from Entra. */
export interface Profile {
  /** Object ID: it never changes and is never reassigned. */
  readonly id: string
  readonly mail: string | null
  readonly userPrincipalName: string
}

export type IdentityRules = Pick<Settings, 'allowedDomains' | 'allowGuests'>

export interface Identity {
  readonly kind: 'identity'
  readonly objectId: string
  /** Part of the address before the @, or the whole address without one. */
  readonly username: string
  /** Whether the first match by name can bind this object ID to an employee. */
  readonly bindsByName: boolean
  /** Local part of the principal name if it differs from Mail's; else null. */
  readonly otherName: string | null
}

export type IdentityReading =
  | Identity
  | { readonly kind: 'refused'; readonly code: 'guest-not-allowed' | 'domain-not-allowed' | 'not-in-system' }

/**
 * Returns whom a profile identifies, or why it cannot be trusted. The address is Mail, else UserPrincipalName. The
 * principal name reveals a guest even when Mail is used: Entra builds it as `name_host#EXT#@tenant`.
 */
export function readIdentity(profile: Profile, rules: IdentityRules): IdentityReading {
  const address = profile.mail || profile.userPrincipalName
  const guest = [address, profile.userPrincipalName].some(text => text.toUpperCase().includes('#EXT#'))
  if (guest && !rules.allowGuests) return { kind: 'refused', code: 'guest-not-allowed' }
  if (!isPlain(address)) return { kind: 'refused', code: 'not-in-system' }

  // Stryker disable next-line StringLiteral: split returns at least one part; only the type checker needs the default
  const [username = '', ...domains] = address.split('@')
  // Parsers disagree about which domain counts if there are several @.
  if (domains.length > 1) return { kind: 'refused', code: 'domain-not-allowed' }
  const domain = domains[0]?.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const { allowedDomains } = rules
  // Stryker disable next-line ConditionalExpression: No list of domains includes undefined; only the type checker needs the question
  if (allowedDomains !== null && (domain === undefined || !allowedDomains.includes(domain))) {
    return { kind: 'refused', code: 'domain-not-allowed' }
  }
  if (username === '') return { kind: 'refused', code: 'not-in-system' }
  const primary = allowedDomains === null || domain === allowedDomains[0]
  return {
    kind: 'identity',
    objectId: profile.id,
    username,
    bindsByName: primary && !guest,
    otherName: otherNameOf(profile, username),
  }
}

function otherNameOf({ userPrincipalName }: Profile, username: string): string | null {
  // Stryker disable next-line StringLiteral: split returns at least one part; only the type checker needs the default
  const [name = ''] = userPrincipalName.split('@')
  return isPlain(name) && foldName(name) !== foldName(username) ? name : null
}
