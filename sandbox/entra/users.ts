import type { SeededIds } from '../http/seeded-ids.ts'

/** How a user's sign-in ends: `ok` with a code, the others with the error of that name. */
export const outcomes = [
  'ok',
  'consent-required',
  'consent-declined',
  'admin-consent-required',
  'not-assigned',
  'conditional-access',
  'mfa-required',
  'disabled',
] as const

export type Outcome = (typeof outcomes)[number]

/** A user of the directory. */
export interface EntraUser {
  /** Object id. It never changes and is never reused (documented, Graph: user resource). */
  readonly id: string
  readonly userPrincipalName: string
  readonly mail: string | null
  readonly displayName: string
  /** Default `ok`. */
  readonly outcome?: Outcome
  /** RFC 3339. Refresh tokens from before it are revoked. */
  readonly signInSessionsValidFromDateTime?: string
}

/** Returns the initial users. Their ids depend on the seed. */
export function defaultUsers(ids: SeededIds): readonly EntraUser[] {
  const user = (name: string, displayName: string, rest: Partial<EntraUser> = {}): EntraUser => ({
    id: ids.uuid(),
    userPrincipalName: `${name}@example.com`,
    mail: `${name}@example.com`,
    displayName,
    ...rest,
  })
  return [
    user('alice', 'Alice Archer'),
    user('bob', 'Bob Baker', { mail: null }),
    user('carol', 'Carol Cooper'),
    user('contractor', 'Connor Contractor'),
    // A guest's mail is the address in the home organisation (documented, B2B user properties).
    user('visitor_example.net#EXT#', 'Vera Visitor', { mail: 'visitor@example.net' }),
    ...outcomes
      .filter(outcome => outcome !== 'ok')
      .map(outcome => user(outcome, `Someone ${outcome.replaceAll('-', ' ')}`, { outcome })),
  ]
}

/** Splits the display name of a user into the given name and the surname. */
export function namesOf({ displayName }: EntraUser) {
  const [givenName = null, ...rest] = displayName.split(' ')
  return { givenName, surname: rest.length > 0 ? rest.join(' ') : null }
}

const folded = (address: string): string => address.toLowerCase()

/** The users in the directory. Their ids and principal names are unique. */
export class Directory {
  users: readonly EntraUser[]

  constructor(users: readonly EntraUser[]) {
    this.users = users
  }

  byId(id: string): EntraUser | undefined {
    return this.users.find(user => user.id === id)
  }

  /** Finds a user by principal name, ignoring case (documented, userPrincipalName). */
  byPrincipalName(name: string): EntraUser | undefined {
    return this.users.find(user => folded(user.userPrincipalName) === folded(name))
  }
}
