import { generateKeyPairSync } from 'node:crypto'
import type { HttpAnswer } from '../../http/delivery.ts'
import type { FaultAnswers, FaultEffects } from '../../http/emulated-service.ts'
import type { Exchange } from '../../http/exchange.ts'
import { errorAnswer, parseJsonBody } from '../../http/fault-answers.ts'
import { locationOf } from '../answer.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { type Problem, problemOf, problems } from './aadsts.ts'
import { failedAuthorization, returnsToApplication } from './authorize.ts'
import { loginCall } from './call.ts'
import { encodeJson, signJwt } from './claims.ts'
import { jsonFailure } from './failures.ts'
import { errorPage } from './pages.ts'

const foreignIssuer = 'https://login.example.net/00000000-0000-0000-0000-000000000000/v2.0'

/** Returns an ID token of another issuer, signed with an unpublished key. */
function foreignIdToken({ clientId }: Tenant): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: foreignIssuer, sub: 'somebody', aud: clientId, iat, exp: iat + 3600 }
  return signJwt('foreign', encodeJson(claims), privateKey)
}

function withForeignIssuer(tenant: Tenant, answer: HttpAnswer): HttpAnswer {
  if (returnsToApplication(answer, tenant.redirectUris)) {
    const back = new URL(locationOf(answer) ?? '')
    back.searchParams.set('iss', foreignIssuer)
    return { ...answer, headers: { ...answer.headers, location: back.href } }
  }
  const granted = parseJsonBody(answer)
  if (granted?.['access_token'] === undefined) return answer
  return { ...answer, body: JSON.stringify({ ...granted, id_token: foreignIdToken(tenant) }) }
}

/** An error of Entra, by AADSTS code, OAuth error, or both. */
interface ErrorFields {
  readonly code?: number
  readonly error?: string
  readonly message?: string
}

/** Returns the problem that a fault names by AADSTS code, OAuth error, or both. */
function problemFor({ code, error, message }: ErrorFields = {}): Problem {
  const known = code === undefined ? null : problemOf(code)
  return {
    code: code ?? problems.transient.code,
    error: error ?? known?.error ?? problems.transient.error,
    status: known?.status ?? (error === undefined ? problems.transient.status : 400),
    message: message ?? known?.message ?? 'A fault requested this error.',
  }
}

/** Returns the fault answers that only the login service has. */
export function loginFaultAnswers(tenant: Tenant): FaultAnswers {
  const { token } = pathsOf(tenant.tenantId)

  function failure(exchange: Exchange, problem: Problem, status: number | undefined) {
    const call = loginCall(tenant, exchange)
    if (call.path === token) return jsonFailure(call, { ...problem, status: status ?? problem.status })
    return status === undefined ? failedAuthorization(call, problem) : errorPage(call, problem, status)
  }

  return {
    /** An error in the format of the endpoint. Without a status, authorize redirects to the application. */
    errors: errorAnswer<ErrorFields>((exchange, status, error) =>
      failure(exchange, problemFor(error), status),
    ),
    /** Names another issuer in the redirect to the application or in an ID token. */
    'wrong-iss': () => ({ alter: real => withForeignIssuer(tenant, real) }),
  }
}

/** Returns the fault effects on the login service. */
export function loginFaultEffects({ storage }: Tenant): FaultEffects {
  return {
    /** Accepts the code of the request with any verifier, or without one. */
    'ignore-verifier': ({ body }) => {
      const form = new URLSearchParams(body.kind === 'text' ? body.text : '')
      storage.forgetChallenge(form.get('code') ?? '')
    },
  }
}
