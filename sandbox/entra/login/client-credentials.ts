import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import type { Bearer, Deployer } from '../graph/applications.ts'
import type { applications } from '../graph/ledger.ts'
import type { Tenant } from '../tenant.ts'
import { isGuid, type Marks, type Problem, problems } from './aadsts.ts'
import { failedToken } from './token.ts'

type Cite = (id: keyof typeof applications) => void

const lifetimeSeconds = 3599
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether an application requests a token for itself. */
export const isForItself = (form: URLSearchParams): boolean => form.get('grant_type') === 'client_credentials'

function secretProblem(state: 'live' | 'expired' | 'unknown'): Problem | undefined {
  if (state === 'live') return undefined
  return state === 'expired' ? problems.expiredSecret : problems.wrongSecret
}

/** Checks a deployer's credential: a client secret or an assertion. */
function refuseDeployer(deployer: Deployer, form: URLSearchParams, cite: Cite): Problem | undefined {
  const secret = form.get('client_secret')
  if (secret !== null) return secretProblem(secret === deployer.clientSecret ? 'live' : 'unknown')
  cite('credentials.assertion')
  const vouched = form.get('client_assertion_type') === assertionType
  return vouched && threeParts.test(form.get('client_assertion') ?? '') ? undefined : problems.missingSecret
}

/** Authenticates the application. */
function identify(tenant: Tenant, form: URLSearchParams, cite: Cite): Omit<Bearer, 'until'> | Problem {
  const { applications } = tenant
  const appId = form.get('client_id') ?? ''
  if (appId === '') return problems.missingParameter
  const deployer = applications.deployerOf(appId)
  if (deployer) return refuseDeployer(deployer, form, cite) ?? { appId, objectId: deployer.objectId }
  const application = applications.byAppId(appId)
  if (application === undefined) return isGuid(appId) ? problems.unknownClient : problems.malformedClient
  const secret = form.get('client_secret')
  if (secret === null) return problems.missingSecret
  cite('passwords.sign-in')
  const problem = secretProblem(applications.secretState(application, secret, tenant.clock.now()))
  return problem ?? { appId, objectId: applications.principalOf(appId)?.id ?? application.id }
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns a token in the form of a JWT, since clients read its `oid`. Its signature is not valid. */
function accessToken(tenant: Tenant, { appId, objectId, until }: Bearer): string {
  const claims = {
    aud: tenant.graphUrl,
    iss: `${tenant.instance}${tenant.tenantId}/v2.0`,
    exp: Math.floor(until / 1000),
    appid: appId,
    oid: objectId,
    sub: objectId,
    tid: tenant.tenantId,
    idtyp: 'app',
    uti: tenant.ids.text(22),
  }
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.${encode('unsigned')}`
}

/** Answers a token request with the client credentials grant. */
export function clientCredentialsAnswer(
  tenant: Tenant,
  form: URLSearchParams,
  marks: Marks,
  cite: Cite,
): HttpAnswer {
  cite('credentials.secret')
  const found = identify(tenant, form, cite)
  if ('error' in found) return failedToken(found, marks, tenant)
  if (form.get('scope') !== `${tenant.graphUrl}/.default`) {
    cite('credentials.scope')
    return failedToken(problems.unknownScope, marks, tenant)
  }
  cite('credentials.oid')
  const bearer = { ...found, until: tenant.clock.now() + lifetimeSeconds * 1000 }
  const token = accessToken(tenant, bearer)
  tenant.applications.admit(token, bearer)
  return jsonAnswer(
    200,
    {
      token_type: 'Bearer',
      expires_in: lifetimeSeconds,
      ext_expires_in: lifetimeSeconds,
      access_token: token,
    },
    { 'cache-control': 'no-store', pragma: 'no-cache' },
  )
}
