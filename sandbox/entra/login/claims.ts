import { type KeyObject, sign } from 'node:crypto'
import type { Tenant } from '../tenant.ts'
import type { EntraUser } from '../users.ts'

/** The claims of each scope. */
export const claimsByScope: Readonly<Record<string, string[]>> = {
  openid: ['sub', 'oid', 'tid', 'ver', 'nbf', 'uti'],
  profile: ['name', 'preferred_username'],
  email: ['email'],
}

/** Returns the claims about a user in an ID token. The library adds more, and removes those of scopes that were not granted. */
export const idTokenClaims = ({ tenantId, ids }: Tenant, user: EntraUser) => ({
  sub: user.id,
  oid: user.id,
  tid: tenantId,
  ver: '2.0',
  nbf: Math.floor(Date.now() / 1000),
  uti: ids.text(22),
  name: user.displayName,
  preferred_username: user.userPrincipalName,
  ...(user.mail !== null && { email: user.mail }),
})

/** Encodes an object as a part of a JWT. */
export const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a signed JWT. @param payload in base64url */
export function signJwt(kid: string, payload: string, key: KeyObject): string {
  const content = `${encodeJson({ typ: 'JWT', alg: 'RS256', kid })}.${payload}`
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}
