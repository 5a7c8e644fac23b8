import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import Provider, {
  type AdapterPayload,
  type Configuration,
  type errors,
  type JWK,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import type { HttpAnswer } from '../../http/delivery.ts'
import type { SecretState } from '../graph/applications.ts'
import { pathsOf, profileScope, type Tenant } from '../tenant.ts'
import { EntraError, problems } from './aadsts.ts'
import type { NodeExchange } from './node-exchange.ts'
import { signedOutPage, signOutPage } from './pages.ts'
import { policyFor, presentUser } from './policy.ts'

/** An answer of the OAuth library, with the error if it refused. */
export interface ProviderAnswer {
  readonly answer: HttpAnswer
  readonly failure: errors.OIDCProviderError | null
}

/** The OAuth library behind the login service, and what it cannot do itself. */
export interface OAuthProvider {
  readonly library: Provider
  /** A secret that the library accepts for an application with a valid assertion. */
  readonly proven: string
  answer(node: NodeExchange): Promise<ProviderAnswer>
}

/** Grants every scope. Users who have not consented are refused by their outcome. */
async function grantFor({ oidc }: KoaContextWithOIDC) {
  const { clientId } = oidc.client ?? {}
  const { accountId } = oidc.account ?? {}
  if (clientId === undefined || accountId === undefined) return undefined
  const grant = new oidc.provider.Grant({ clientId, accountId })
  grant.addOIDCScope([...oidc.requestParamScopes].join(' '))
  await grant.save()
  return grant
}

function jwkOf(privateKey: KeyObject, kid: string): JWK {
  const { kty, n, e, d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' })
  return { kty, n, e, d, p, q, dp, dq, qi, kid, use: 'sig', alg: 'RS256' }
}

function showPage(ctx: KoaContextWithOIDC, { status, headers, body }: HttpAnswer): void {
  ctx.status = status
  for (const [name, value] of Object.entries(headers)) ctx.set(name, [value].flat())
  ctx.body = body
}

const hourSeconds = 3600
const tenYearsSeconds = 10 * 365 * 24 * hourSeconds

const clientOf = (clientId: string, redirectUris: readonly string[]): AdapterPayload => ({
  client_id: clientId,
  // Not used: `compareClientSecret` is replaced.
  client_secret: 'none',
  redirect_uris: [...redirectUris],
  post_logout_redirect_uris: [...redirectUris],
  response_types: ['code'],
  response_modes: ['query'],
  grant_types: ['authorization_code'],
  token_endpoint_auth_method: 'client_secret_post',
})

/** Returns an application in the format of the library, or null if it is unknown or has no redirect URI. */
function findClient({ clientId, redirectUris, applications }: Tenant, id: string): AdapterPayload | null {
  if (id === clientId) return clientOf(id, redirectUris)
  const registered = applications.byAppId(id)?.web.redirectUris ?? []
  return registered.length > 0 ? clientOf(id, registered) : null
}

function configurationFor(tenant: Tenant, key: JWK): Configuration {
  const { authorize, token, logout, keys, interaction } = pathsOf(tenant.tenantId)
  const off = { enabled: false }
  return {
    adapter: kind => {
      const stored = tenant.storage.adapter(kind)
      return kind === 'Client' ? { ...stored, find: async id => findClient(tenant, id) ?? undefined } : stored
    },
    scopes: [profileScope],
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    jwks: { keys: [key] },
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      names: { session: 'entra_session', interaction: 'entra_interaction', resume: 'entra_resume' },
    },
    routes: { authorization: authorize, token, end_session: logout, jwks: keys },
    features: {
      devInteractions: off,
      userinfo: off,
      dPoP: off,
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => showPage(ctx, signOutPage(form)),
        postLogoutSuccessSource: ctx => showPage(ctx, signedOutPage()),
      },
    },
    interactions: { url: (_, { uid }) => `${interaction}/${uid}`, policy: policyFor(tenant) },
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: 600,
      Grant: tenYearsSeconds,
      Interaction: 600,
      Session: 24 * hourSeconds,
    },
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    findAccount: (_, id) => {
      const user = presentUser(tenant, id)
      return { accountId: user.id, claims: () => ({ sub: user.id }) }
    },
    loadExistingGrant: grantFor,
    // Without its grant, the library would call a code unknown when it is redeemed for the third time.
    revokeGrantPolicy: () => false,
    // Replaces the library's page. Errors are converted elsewhere.
    renderError: ctx => {
      ctx.body = ''
    },
  }
}

function secretState(tenant: Tenant, clientId: string, given: string): SecretState {
  const application = tenant.applications.byAppId(clientId)
  if (application) return tenant.applications.secretState(application, given, tenant.clock.now())
  const { live, expired } = tenant.clientSecrets
  if (live.includes(given)) return 'live'
  return expired.includes(given) ? 'expired' : 'unknown'
}

/** Checks a client secret against all that are valid. @throws EntraError if it is not one of them */
function compareSecret(tenant: Tenant, clientId: string, given: string): true {
  const state = secretState(tenant, clientId, given)
  if (state === 'live') return true
  throw new EntraError(state === 'expired' ? problems.expiredSecret : problems.wrongSecret)
}

/** Signs the tokens of every tenant of this process, because generating a key takes longer than most tests. */
let keyOfProcess: Promise<{ readonly privateKey: KeyObject }> | undefined

/** Returns the OAuth library with Entra's paths, and the applications and users of a tenant. */
export async function oauthProvider(tenant: Tenant): Promise<OAuthProvider> {
  keyOfProcess ??= promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const { privateKey } = await keyOfProcess
  const kid = tenant.ids.uuid()
  const proven = randomBytes(32).toString('base64url')
  const configuration = configurationFor(tenant, jwkOf(privateKey, kid))
  const library = new Provider(`${tenant.instance}${tenant.tenantId}/v2.0`, configuration)
  library.Client.prototype.compareClientSecret = function (given) {
    return given === proven || compareSecret(tenant, this.clientId, given)
  }
  // `answer` throws unexpected errors, so Koa need not print them.
  library.silent = true
  const answers = new WeakMap<IncomingMessage, HttpAnswer>()
  const failures = new WeakMap<IncomingMessage, errors.OIDCProviderError>()
  const unexpected = new WeakMap<IncomingMessage, Error>()
  const note = (ctx: KoaContextWithOIDC, failure: errors.OIDCProviderError) => {
    failures.set(ctx.req, failure)
  }
  library.on('authorization.error', note)
  library.on('grant.error', note)
  library.on('end_session.error', note)
  library.on('end_session_confirm.error', note)
  library.on('server_error', (ctx, error) => {
    unexpected.set(ctx.req, error)
  })
  library.use(async (ctx, next) => {
    await next()
    ctx.respond = false
    const body: unknown = ctx.body
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...fields } = ctx.response.headers
    const headers = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'number' ? String(value) : value] as const],
    )
    answers.set(ctx.req, {
      status: ctx.status,
      headers: Object.fromEntries(headers),
      body: typeof body === 'string' ? body : body === undefined || body === null ? '' : JSON.stringify(body),
    })
  })
  const callback = library.callback()
  return {
    library,
    proven,
    answer: async ({ request, response }) => {
      await callback(request, response)
      const error = unexpected.get(request)
      const answer = answers.get(request)
      if (error !== undefined) throw error
      if (answer === undefined)
        throw new Error(`The OAuth library did not answer ${request.method} ${request.url}.`)
      return { answer, failure: failures.get(request) ?? null }
    },
  }
}
