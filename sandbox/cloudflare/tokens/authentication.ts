import { type Refusal, refuse } from '../errors.ts'
import type { Store } from '../store.ts'
import { allowsAddress } from './condition.ts'
import { isUsable, type Token } from './token.ts'

/** Groups of routes with their own errors for credentials. */
export type RouteFamily = 'zones' | 'accounts' | 'verify' | 'other'

/** The old format of 40 characters, or the scannable format with prefix and checksum. */
const tokenFormat = /^([A-Za-z0-9_-]{40}|cf(ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8})$/

const bearer = /^Bearer +(\S+)$/i

const invalidHeaders = (code: number, message: string) => ({
  code: 6003,
  message: 'Invalid request headers',
  error_chain: [{ code, message }],
})

const unknownToken: Readonly<Record<RouteFamily, Refusal>> = {
  // observed: On zone routes, a request with an unknown token gets 403 with code 9109. [live probe of favonia/cloudflare-ddns,
  // 2026-06-30]
  zones: refuse(403, { code: 9109, message: 'Invalid access token' }),
  // assumed: On the verify routes, a request with an unknown token gets 401 with code 1000. [an account token gets this on the
  // user's route, 2026-03]
  verify: refuse(401, { code: 1000, message: 'Invalid API Token' }),
  // observed: On account routes, a request with an unknown token gets 401 with code 10000. [live probe of favonia/cloudflare-
  // ddns, 2026-06-30]
  accounts: refuse(401, { code: 10000, message: 'Authentication error' }),
  // assumed: On user routes, a request with an unknown token gets 401 with code 10000. [as on account routes]
  other: refuse(401, { code: 10000, message: 'Authentication error' }),
}

const malformed = (family: RouteFamily): Refusal =>
  family === 'accounts'
    ? // observed: On account routes, a request whose credential does not look like a token gets 400 with code 9106. [live probe of
      // favonia/cloudflare-ddns, 2026-06-30]
      refuse(400, {
        code: 9106,
        message: 'Authentication failed (status: 400)',
      })
    : // observed: A request whose credential does not look like a token gets 400 with code 6003 and 6111 in its chain. [live probe
      // of favonia/cloudflare-ddns, 2026-06-30; on the verify route kissgyorgy/cloudflare-dyndns issue 40, 2025-04]
      refuse(400, invalidHeaders(6111, 'Invalid format for Authorization header'))

const missing = (family: RouteFamily): Refusal =>
  family === 'verify'
    ? // observed: The verify routes require the Authorization header and return code 1001 without it. Assumed: status 400.
      // [kissgyorgy/cloudflare-dyndns issue 40, 2025-04]
      refuse(400, { code: 1001, message: 'Missing "Authorization" header' })
    : // assumed: A request without credentials gets 400 with code 9106. [the message was seen, status and code were not]
      refuse(400, {
        code: 9106,
        message: 'Missing X-Auth-Key, X-Auth-Email or Authorization headers',
      })

/**
 * Returns the token of a request, or throws a refusal if it is missing, malformed, unknown or not usable.
 * @param nowMs milliseconds since 1970
 * @param address the address of the client
 */
export function authenticate(
  headers: Readonly<Record<string, string>>,
  store: Store,
  nowMs: number,
  family: RouteFamily,
  address: string,
): Token {
  const authorization = headers['authorization']
  if (authorization === undefined) throw missing(family)
  const value = bearer.exec(authorization)?.[1]
  if (value === undefined || !tokenFormat.test(value)) throw malformed(family)
  const token = store.tokenByValue(value)
  if (token === null || !isUsable(token, nowMs)) throw unknownToken[family]
  if (!allowsAddress(token.condition, address)) {
    // observed: From an address that the token's condition does not allow, a request gets 403 with code 9109 and the address.
    // Assumed: this is checked before the route. [ddns-go issue 1341, 2024-12]
    throw refuse(403, {
      code: 9109,
      message: `Cannot use the access token from location: ${address}`,
    })
  }
  return token
}
