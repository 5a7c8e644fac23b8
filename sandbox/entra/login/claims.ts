import { type KeyObject, sign } from 'node:crypto'

/** Encodes an object as a part of a JWT. */
export const encodeJson = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a signed JWT. @param payload in base64url */
export function signJwt(kid: string, payload: string, key: KeyObject): string {
  const content = `${encodeJson({ typ: 'JWT', alg: 'RS256', kid })}.${payload}`
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}
