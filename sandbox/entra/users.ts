import type { SeededIds } from '../http/seeded-ids.ts'

/** A user of the tenant. */
export interface EntraUser {
  /** The object ID. It never changes and is never reused (Graph REST reference, user). */
  readonly id: string
  readonly userPrincipalName: string
  readonly mail: string | null
  readonly displayName: string
}

/** Returns the initial users. Their object IDs depend on the seed. */
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
    // The mail of a guest is the address in the home organization (B2B collaboration, user properties).
    user('visitor_example.net#EXT#', 'Vera Visitor', { mail: 'visitor@example.net' }),
  ]
}

/** Splits a user's display name into given name and surname. */
export function namesOf({ displayName }: EntraUser) {
  const [givenName = null, ...rest] = displayName.split(' ')
  return { givenName, surname: rest.length > 0 ? rest.join(' ') : null }
}

const folded = (address: string): string => address.toLowerCase()

/** The users of the tenant. Their object IDs and principal names are unique. */
export class Users {
  all: readonly EntraUser[]

  constructor(all: readonly EntraUser[]) {
    this.all = all
  }

  byId(id: string): EntraUser | null {
    return this.all.find(user => user.id === id) ?? null
  }

  /** Finds a user by principal name, ignoring case (Graph REST reference, user). */
  byPrincipalName(name: string): EntraUser | null {
    return this.all.find(user => folded(user.userPrincipalName) === folded(name)) ?? null
  }
}
