/** What the provider says of a person. */
export interface Profile {
  /** Directory id: never changed, never given to anyone else. */
  readonly id: string
  readonly mail: string | null
  readonly userPrincipalName: string
}

export interface IdentityRules {
  /** Lower case, the primary one first; null: any domain, and addresses without one. */
  readonly allowedDomains: readonly string[] | null
  readonly allowGuests: boolean
}

export interface Identity {
  readonly kind: 'identity'
  readonly directoryId: string
  /** Part of the address before the @, or all of it where there is none. */
  readonly username: string
  /** Whether the first match by name may bind this directory id to an employee. */
  readonly bindsByName: boolean
}

export type IdentityReading =
  | Identity
  | { readonly kind: 'refused'; readonly code: 'guest-not-allowed' | 'domain-not-allowed' | 'not-in-system' }

const maxAddressLength = 320

/**
 * Who a profile says somebody is, or why that name cannot be trusted. The address is Mail, else UserPrincipalName; an
 * outsider shows by the principal name even when Mail is used, because Entra builds it as `name_host#EXT#@tenant`.
 */
export function readIdentity(profile: Profile, rules: IdentityRules): IdentityReading {
  const address = profile.mail || profile.userPrincipalName
  const guest = [address, profile.userPrincipalName].some(text => text.toUpperCase().includes('#EXT#'))
  if (guest && !rules.allowGuests) return { kind: 'refused', code: 'guest-not-allowed' }
  if (!isPlain(address)) return { kind: 'refused', code: 'not-in-system' }

  const [username = '', ...domains] = address.split('@')
  // Several @ leave open which domain speaks for the person, and readers disagree about it.
  if (domains.length > 1) return { kind: 'refused', code: 'domain-not-allowed' }
  const domain = domains[0]?.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const { allowedDomains } = rules
  if (allowedDomains !== null && (domain === undefined || !allowedDomains.includes(domain))) {
    return { kind: 'refused', code: 'domain-not-allowed' }
  }
  if (username === '') return { kind: 'refused', code: 'not-in-system' }
  const primary = allowedDomains === null || domain === allowedDomains[0]
  return { kind: 'identity', directoryId: profile.id, username, bindsByName: primary && !guest }
}

/** Scripts a name may be written in. One that is not here is refused, and an operator can still bind its person. */
const scripts = [
  /^\p{Script=Latin}*$/u,
  /^\p{Script=Greek}*$/u,
  /^\p{Script=Cyrillic}*$/u,
  /^\p{Script=Arabic}*$/u,
  /^\p{Script=Hebrew}*$/u,
  /^\p{Script=Hangul}*$/u,
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]*$/u,
]

/**
 * Whether an address is written in characters that look like nothing else: no spaces, controls, invisible or
 * unassigned ones; nothing that normalisation turns into another letter (full width, ligatures, the Kelvin sign); and
 * letters of one script only (UTS 39 §5), since a Cyrillic letter among Latin ones is a disguise.
 */
export function isPlain(address: string): boolean {
  if (address.length === 0 || address.length > maxAddressLength) return false
  if (/^[\x21-\x7e]*$/.test(address)) return true
  if (/[\p{C}\p{Z}]/u.test(address)) return false
  const characters = [...address]
  if (characters.some(character => character.normalize('NFKC') !== character)) return false
  const [local = ''] = address.split('@')
  const letters = local.replace(/\P{L}/gu, '')
  return scripts.some(script => script.test(letters))
}
