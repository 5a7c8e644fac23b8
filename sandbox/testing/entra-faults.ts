import type { Fault, FaultAnswer, FaultMatch } from '../http/faults.ts'

/** How often a fault applies, and whether the operation still runs. */
type Terms = Pick<Fault, 'times' | 'commit'>

const faultOn =
  (match: FaultMatch) =>
  (answer: FaultAnswer, terms: Terms = {}): Fault => ({ match, answer, ...terms })

/** A fault for token requests. */
export const atToken = faultOn({ service: 'entra', method: 'POST', path: '/token$' })
/** A fault for the request that starts a sign-in. */
export const atAuthorize = faultOn({ service: 'entra', path: '/authorize$' })
/** A fault for the redirect to the application. */
export const atReturn = faultOn({ service: 'entra', path: '/authorize/' })
export const atProfile = faultOn({ service: 'graph', path: '/me$' })

/** Lets codes be redeemed with any verifier or none. */
export const ignoreVerifier: Fault = {
  match: { service: 'entra', method: 'POST', path: '/token$' },
  times: null,
  effect: { kind: 'ignore-verifier' },
}

const html = { 'content-type': 'text/html; charset=utf-8' }

/** The error page of a gateway. */
export const gatewayPage: FaultAnswer = { kind: 'respond', status: 503, headers: html, body: '<h1>503</h1>' }
/** A page instead of JSON, as from a captive portal. */
export const portalPage: FaultAnswer = { kind: 'respond', status: 200, headers: html, body: '<h1>Hello</h1>' }
export const halfAnAnswer: FaultAnswer = { kind: 'truncate', after: 60 }
export const megabytes: FaultAnswer = { kind: 'oversize', bytes: 5_000_000 }
export const reset: FaultAnswer = { kind: 'reset' }
export const otherIssuer: FaultAnswer = { kind: 'wrong-iss' }
export const moreScopes: FaultAnswer = {
  kind: 'alter',
  body: { scope: 'Directory.Read.All User.Read email openid profile' },
}
export const noScope: FaultAnswer = { kind: 'alter', body: { scope: null } }

export const late = (byMs: number): FaultAnswer => ({ kind: 'delay', byMs })
export const plain = (status: number): FaultAnswer => ({ kind: 'respond', status, body: 'No.\n' })
export const redirect = (location: string): FaultAnswer => ({
  kind: 'respond',
  status: 302,
  headers: { location },
})

/** Returns an error of Entra, by AADSTS code, OAuth error or both. */
export const aadsts = (
  error: { readonly code?: number; readonly error?: string },
  status?: number,
): FaultAnswer => ({ kind: 'errors', errors: [error], ...(status !== undefined && { status }) })

/** Returns an error of Graph. */
export const graphError = (status: number, code: string): FaultAnswer => ({
  kind: 'errors',
  status,
  errors: [{ code }],
})

const throttledCode = 90055

export const throttledToken = (retryAfter: string, status = 429): FaultAnswer => ({
  ...aadsts({ code: throttledCode }, status),
  headers: { 'retry-after': retryAfter },
})

export const throttledProfile = (retryAfter: string): FaultAnswer => ({
  ...graphError(429, 'TooManyRequests'),
  headers: { 'retry-after': retryAfter },
})
