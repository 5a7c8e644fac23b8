import { generateKeyPairSync, sign } from 'node:crypto'
import { type Answer, locationOf, redirectAnswer, textAnswer } from './answer.ts'
import type { Delivery } from './delivery.ts'
import type { EntraFault, FaultPlace } from './faults.ts'
import { graphFailure } from './graph/profile.ts'
import { type Marks, type Problem, problemOf, problems } from './login/aadsts.ts'
import { failedAuthorization } from './login/authorize.ts'
import { errorPage, strangePage, unavailablePage } from './login/pages.ts'
import { failedToken } from './login/token.ts'
import type { Tenant } from './tenant.ts'

const defaultDripMs = 50
const oversizeBytes = 4 * 1024 * 1024
const foreignIssuer = 'https://login.example.net/00000000-0000-0000-0000-000000000000/v2.0'
const moreScopes = 'Directory.Read.All User.Read email openid profile'

/** The request that a fault meets. */
export interface Met {
  readonly query: URLSearchParams
  readonly marks: Marks
}

const whole = (answer: Answer): Delivery => ({ how: 'whole', answer })

const withRetryAfter = (answer: Answer, retryAfter: string | undefined): Answer =>
  retryAfter === undefined ? answer : { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } }

/** The problem that a fault asks for: the one of its number, with the fault's own fields over it. */
const askedProblem = ({ on, code, error, status }: EntraFault, fallback: Problem): Problem => {
  const known = code === undefined ? undefined : problemOf(code)
  const usualStatus = error === undefined || on === 'me' || on === 'applications' ? fallback.status : 400
  return {
    code: code ?? fallback.code,
    error: error ?? known?.error ?? fallback.error,
    status: status ?? known?.status ?? usualStatus,
    message: known?.message ?? 'This failure was asked for.',
  }
}

/** A failure in the form of the service that was asked. */
const failureOf = (
  tenant: Tenant,
  fault: EntraFault,
  met: Met,
  fallback: Problem,
  graphCode: string,
): Answer => {
  const cause = askedProblem(fault, fallback)
  const inGraph = () =>
    graphFailure(tenant, cause.status, fault.error ?? graphCode, 'This failure was asked for.')
  const forms: Readonly<Record<FaultPlace, () => Answer>> = {
    authorize: () => errorPage(cause, met.marks, cause.status),
    token: () => failedToken(cause, met.marks, tenant),
    me: inGraph,
    applications: inGraph,
  }
  return forms[fault.on]()
}

const statusAnswer = (tenant: Tenant, fault: EntraFault, { query, marks }: Met): Answer => {
  const { on, status, error, code } = fault
  if (error === undefined && code === undefined) {
    return textAnswer(status ?? 500, `Status ${status ?? 500} was asked for.\n`)
  }
  if (on !== 'authorize' || status !== undefined) {
    return failureOf(tenant, fault, { query, marks }, problems.transient, 'UnknownError')
  }
  const redirectUri = query.get('redirect_uri') ?? undefined
  const state = query.get('state') ?? undefined
  return failedAuthorization(askedProblem(fault, problems.transient), marks, tenant, redirectUri, state)
}

/** What the client gets in place of the real answer; undefined when the fault only changes the real one. */
export const replacement = (tenant: Tenant, fault: EntraFault, met: Met): Delivery | undefined => {
  switch (fault.kind) {
    case 'html503':
      return whole(withRetryAfter(unavailablePage(), fault.retryAfter))
    case 'status':
      return whole(withRetryAfter(statusAnswer(tenant, fault, met), fault.retryAfter))
    case 'redirect':
      return whole(redirectAnswer(302, fault.location ?? '/elsewhere'))
    case 'throttle': {
      const { status = 429 } = fault
      const answer = failureOf(tenant, { ...fault, status }, met, problems.throttled, 'TooManyRequests')
      return whole(withRetryAfter(answer, fault.retryAfter ?? '1'))
    }
    case 'not-json':
      return whole(strangePage())
    case 'reset':
      return { how: 'reset' }
    case 'stall':
      return fault.delayMs === undefined ? { how: 'silence' } : undefined
    default:
      return undefined
  }
}

const alterJson = (answer: Answer, change: (fields: Record<string, unknown>) => unknown): Answer => ({
  ...answer,
  body: JSON.stringify(change(JSON.parse(answer.body) as Record<string, unknown>)),
})

/** An ID token that verifies by nobody's key and says that somebody else issued it. */
const foreignIdToken = ({ clientId }: Tenant): string => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: foreignIssuer, sub: 'somebody', aud: clientId, iat, exp: iat + 3600 }
  const content = `${part({ alg: 'RS256', kid: 'foreign' })}.${part(claims)}`
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}

const grown = (answer: Answer): Answer =>
  alterJson(answer, fields => ({ ...fields, padding: 'x'.repeat(oversizeBytes) }))

const wrongIssuer = (tenant: Tenant, answer: Answer): Answer => {
  const location = locationOf(answer)
  if (location === undefined) {
    return alterJson(answer, fields => ({ ...fields, id_token: foreignIdToken(tenant) }))
  }
  const back = new URL(location)
  back.searchParams.set('iss', foreignIssuer)
  return { ...answer, headers: { ...answer.headers, location: back.href } }
}

/** What a fault makes of the real answer. */
export const altered = (tenant: Tenant, fault: EntraFault, real: Answer): Delivery => {
  switch (fault.kind) {
    case 'json-cut':
      return whole({ ...real, body: real.body.slice(0, Math.floor(real.body.length / 2)) })
    case 'drip':
      return { how: 'drip', answer: real, everyMs: fault.delayMs ?? defaultDripMs }
    case 'stall':
      return { how: 'whole', answer: real, delayMs: fault.delayMs ?? 0 }
    case 'oversize':
      return whole(grown(real))
    case 'wrong-iss':
      return whole(wrongIssuer(tenant, real))
    case 'extra-scopes':
      return whole(alterJson(real, fields => ({ ...fields, scope: fault.scope ?? moreScopes })))
    case 'no-scope':
      return whole(alterJson(real, ({ scope: _scope, ...fields }) => fields))
    default:
      return whole(real)
  }
}
