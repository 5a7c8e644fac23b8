import * as oauth from 'oauth4webapi'
import { codeOf } from '../http/error-code.ts'
import type { Problem } from '../http/problem.ts'
import type { Cryptography } from '../session/cryptography.ts'
import { encodeBase64url } from '../settings/base64url.ts'
import type { Settings } from '../settings/settings.ts'
import { scope } from '../settings/values.ts'
import type { Profile } from './identity.ts'
import { loggableError, numberIn, problemOf } from './provider-errors.ts'
import type { Transaction } from './transaction.ts'
import { type Transport, type UpstreamAnswer, UpstreamError } from './transport.ts'

/** What a failed step tells the caller, and what may be logged of it. */
export interface ProviderFailure {
  readonly kind: 'failure'
  readonly problem: Problem
  readonly error?: string | undefined
  readonly number?: number | undefined
  /** Whether it was this application's secret that was refused, and nothing else was used up. */
  readonly secretRefused?: boolean
}

export interface Provider {
  /** The address to send the browser to; `selectAccount` has the provider ask which account, single sign-on or not. */
  authorizationUrl(transaction: Transaction, selectAccount: boolean): Promise<string>
  /** Who a callback's parameters speak for. At most one call for the token and one for the profile, repeats apart. */
  identify(parameters: URLSearchParams, transaction: Transaction): Promise<ProviderFailure | Found>
}

interface Found {
  readonly kind: 'profile'
  readonly profile: Profile
}

interface Token {
  readonly kind: 'token'
  readonly value: string
}

/** How long to wait before the profile is asked for again when Graph did not say. */
const defaultRepeatSeconds = 0.25

/** Below this much remaining time a repeated profile call would only time out. */
const leastRepeatMs = 200

/**
 * Entra as a confidential client sees it. Endpoints follow from instance and tenant; there is no discovery, which would
 * be a call and another thing to trust. Tokens live in a local variable for one call, and nowhere else.
 */
export function createProvider(settings: Settings, transport: Transport, { sha256 }: Cryptography): Provider {
  const { instance, tenantId, clientId, clientSecrets, graphUrl, redirectUri } = settings
  const authority = `${instance}/${encodeURIComponent(tenantId)}`
  const server: oauth.AuthorizationServer = {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
  }
  const client: oauth.Client = { client_id: clientId }
  const insecure = instance.startsWith('http:')
  /** The secret that worked last, so that a rotated-out one costs one call once, not one a sign-in. */
  let current = 0

  async function requestToken(
    parameters: URLSearchParams,
    transaction: Transaction,
    secret: string,
    deadline: number,
  ): Promise<Token | ProviderFailure> {
    let answer: UpstreamAnswer | undefined
    const options: oauth.TokenEndpointRequestOptions = {
      additionalParameters: { scope },
      [oauth.allowInsecureRequests]: insecure,
      [oauth.customFetch]: async (url, { headers, body }) => {
        answer = await transport(url, { method: 'POST', headers, body }, deadline - Date.now())
        return toResponse(answer)
      },
    }
    try {
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretPost(secret),
        parameters,
        redirectUri,
        transaction.verifier,
        options,
      )
      if (answer && isUnavailable(answer.status)) return unavailable(answer)
      // Not the function for codes: all it adds are rules for ID tokens, and none is asked for or read.
      const token = await oauth.processGenericTokenEndpointResponse(server, client, response)
      return includesScope(token.scope)
        ? { kind: 'token', value: token.access_token }
        : failure('provider-error')
    } catch (error) {
      return describe(error)
    }
  }

  /** Tries the next secret once, only when the provider says it is the secret; other failures would burn the code. */
  async function tokenWithAnySecret(parameters: URLSearchParams, transaction: Transaction, deadline: number) {
    const tried = current
    const result = await requestToken(parameters, transaction, clientSecrets[tried] ?? '', deadline)
    if (result.kind === 'token' || !result.secretRefused || clientSecrets.length === 1) return result
    current = (tried + 1) % clientSecrets.length
    return requestToken(parameters, transaction, clientSecrets[current] ?? '', deadline)
  }

  /** Exactly the contract's address: the default fields hold all that is needed. */
  async function requestProfile(token: string, deadline: number): Promise<Found | ProviderFailure> {
    const ask = () =>
      transport(
        `${graphUrl}/v1.0/me`,
        {
          method: 'GET',
          // Sign-in goes first when Graph throttles an application, as Microsoft asks for it.
          headers: {
            authorization: `Bearer ${token}`,
            accept: 'application/json',
            'x-ms-throttle-priority': 'high',
          },
        },
        deadline - Date.now(),
      )
    try {
      let answer = await ask()
      const wait = (answer.retryAfter ?? defaultRepeatSeconds) * 1000
      if (isUnavailable(answer.status) && Date.now() + wait + leastRepeatMs < deadline) {
        await new Promise(resolve => setTimeout(resolve, wait))
        answer = await ask()
      }
      if (isUnavailable(answer.status)) return unavailable(answer)
      const profile = answer.status === 200 ? parseProfile(answer.text) : null
      return profile ? { kind: 'profile', profile } : failure('provider-error')
    } catch (error) {
      return describe(error)
    }
  }

  return {
    async authorizationUrl({ state, verifier }, selectAccount) {
      const url = new URL(server.authorization_endpoint ?? authority)
      url.search = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        response_mode: 'query',
        scope,
        state,
        code_challenge: encodeBase64url(await sha256(new TextEncoder().encode(verifier))),
        code_challenge_method: 'S256',
        ...(selectAccount ? { prompt: 'select_account' } : {}),
      }).toString()
      return url.href
    },

    async identify(callback, transaction) {
      const deadline = Date.now() + settings.providerTimeoutMs
      let parameters: URLSearchParams
      try {
        parameters = oauth.validateAuthResponse(server, client, callback, transaction.state)
      } catch (error) {
        return describe(error)
      }
      const token = await tokenWithAnySecret(parameters, transaction, deadline)
      return token.kind === 'token' ? requestProfile(token.value, deadline) : token
    },
  }
}

/** Only what oauth4webapi needs to judge the answer; a challenge header would hide the error body from it. */
function toResponse({ status, contentType, text }: UpstreamAnswer): Response {
  const hasBody = status >= 200 && status !== 204 && status !== 205 && status !== 304
  return new Response(hasBody ? text : null, {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: { 'content-type': contentType },
  })
}

function isUnavailable(status: number): boolean {
  return status === 429 || status === 503
}

function unavailable({ retryAfter }: UpstreamAnswer): ProviderFailure {
  return { kind: 'failure', problem: { code: 'provider-unavailable', retryAfter } }
}

function failure(code: Problem['code']): ProviderFailure {
  return { kind: 'failure', problem: { code } }
}

/**
 * Which failure an error of a step is. Of the error itself nothing but a listed name, a code and a number goes on: the
 * cause of oauth4webapi's errors can hold the callback's parameters, code and state among them.
 */
function describe(error: unknown): ProviderFailure {
  if (error instanceof UpstreamError) {
    if (error.failure === 'timeout') return failure('provider-timeout')
    const { problem } = failure(error.failure === 'too-large' ? 'provider-error' : 'provider-unavailable')
    return { kind: 'failure', problem, error: codeOf(error.cause) }
  }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const number = numberIn(error.error_description)
    const code = problemOf({ error: error.error, number })
    return {
      kind: 'failure',
      problem: { code },
      error: loggableError(error.error),
      number: number ?? undefined,
      secretRefused: code === 'client-credential-rejected' && isUnauthorizedClient(error),
    }
  }
  return failure('provider-error')
}

function isUnauthorizedClient(error: oauth.AuthorizationResponseError | oauth.ResponseBodyError): boolean {
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_client' && error.status === 401
}

/** Entra lists whatever was granted before, in short or as an address; RFC 6749 §5.1 lets the field be left out. */
function includesScope(granted: string | undefined): boolean {
  if (granted === undefined) return true
  return granted
    .split(' ')
    .some(name => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === scope.toLowerCase())
}

function parseProfile(text: string): Profile | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof body !== 'object' || body === null) return null
  const id = 'id' in body ? body.id : null
  const mail = 'mail' in body ? body.mail : null
  const principal = 'userPrincipalName' in body ? body.userPrincipalName : null
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(id)) return null
  if (typeof principal !== 'string' || (mail !== null && typeof mail !== 'string')) return null
  return { id, mail, userPrincipalName: principal }
}
