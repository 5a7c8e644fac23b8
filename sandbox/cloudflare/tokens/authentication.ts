import { type Refusal, refuse } from '../errors.ts'
import type { Store } from '../store.ts'
import { allowsAddress } from './condition.ts'
import { isUsable, type Token } from './token.ts'

/** Groups of routes with their own errors for credentials. */
export type RouteFamily = 'zones' | 'accounts' | 'verify' | 'other'

/** The old format of 40 characters, or the scannable format with prefix and checksum. */
const tokenFormat = /^([A-Za-z0-9_-]{40}|cf(ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8})$/

const bearer = /^Bearer +(\S+)$/i

/** Returns the token in an Authorization header, whatever its format. */
export const bearerOf = (authorization: string | undefined): string | null =>
  bearer.exec(authorization ?? '')?.[1] ?? null

const invalidHeaders = (code: number, message: string) => ({
  code: 6003,
  message: 'Invalid request headers',
  error_chain: [{ code, message }],
})

const unknownToken: Readonly<Record<RouteFamily, Refusal>> = {
  zones: refuse(403, 'credential.unknown', { code: 9109, message: 'Invalid access token' }),
  verify: refuse(401, 'credential.unknown.verify', { code: 1000, message: 'Invalid API Token' }),
  accounts: refuse(401, 'credential.unknown.accounts', { code: 10000, message: 'Authentication error' }),
  other: refuse(401, 'credential.unknown.other', { code: 10000, message: 'Authentication error' }),
}

const malformed = (family: RouteFamily): Refusal =>
  family === 'accounts'
    ? refuse(400, 'credential.malformed.accounts', {
        code: 9106,
        message: 'Authentication failed (status: 400)',
      })
    : refuse(400, 'credential.malformed', invalidHeaders(6111, 'Invalid format for Authorization header'))

const missing = (family: RouteFamily): Refusal =>
  family === 'verify'
    ? refuse(400, 'credential.missing.verify', { code: 1001, message: 'Missing "Authorization" header' })
    : refuse(400, 'credential.missing', {
        code: 9106,
        message: 'Missing X-Auth-Key, X-Auth-Email or Authorization headers',
      })

/**
 * Returns the token of a request, or a refusal if it is missing, malformed, unknown or not usable.
 * @param nowMs milliseconds since 1970
 * @param address the address of the client
 */
export function authenticate(
  headers: Readonly<Record<string, string>>,
  store: Store,
  nowMs: number,
  family: RouteFamily,
  address: string,
): Token | Refusal {
  const authorization = headers['authorization']
  if (headers['x-auth-key'] !== undefined && family !== 'verify') {
    return refuse(400, 'credential.key', invalidHeaders(6103, 'Invalid format for X-Auth-Key header'))
  }
  if (authorization === undefined) return missing(family)
  const value = bearerOf(authorization)
  if (value === null || !tokenFormat.test(value)) return malformed(family)
  const token = store.tokenByValue(value)
  if (token === null) return unknownToken[family]
  if (!isUsable(token, nowMs)) {
    return { ...unknownToken[family], cites: [...unknownToken[family].cites, 'credential.unusable'] }
  }
  if (!allowsAddress(token.condition, address)) {
    return refuse(403, 'credential.location', {
      code: 9109,
      message: `Cannot use the access token from location: ${address}`,
    })
  }
  return token
}

const acceptedTypes = /^(application\/json|multipart\/form-data)\s*(;|$)/i

/** Whether the Content-Type is that of a script. */
export const isCode = (headers: Readonly<Record<string, string>>): boolean =>
  /^application\/javascript\s*(;|$)/i.test(headers['content-type'] ?? '')

/** Refuses an unsupported Content-Type. A missing one is accepted. */
export function refuseContentType(headers: Readonly<Record<string, string>>): Refusal | null {
  const type = headers['content-type']
  if (type === undefined || acceptedTypes.test(type)) return null
  return refuse(
    400,
    'request.content-type',
    invalidHeaders(
      6105,
      'Invalid Content-Type header, valid values are application/json,multipart/form-data',
    ),
  )
}
