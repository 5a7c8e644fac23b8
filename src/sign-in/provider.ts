import * as oauth from 'oauth4webapi'
import { parseRetryAfter } from '../../lib/exchange.ts'
import { isFromFront } from '../../lib/in-front.ts'
import { parseObject } from '../../lib/json.ts'
import { codeOf } from '../http/error-code.ts'
import type { Log } from '../http/log.ts'
import type { Problem, ProblemCode } from '../http/problem.ts'
import type { Cryptography } from '../session/cryptography.ts'
import { encodeBase64url } from '../settings/base64url.ts'
import { isIssuerOf } from '../settings/clouds.ts'
import type { Settings } from '../settings/table.ts'
import { scope } from '../settings/values.ts'
import { certificateCredentials } from './client-certificate.ts'
import { secretCredentials } from './client-secret.ts'
import { type ClientCredential, CredentialError } from './credential.ts'
import type { Profile } from './identity.ts'
import { consentDeclined, loggableError, numberIn, problemOf } from './provider-errors.ts'
import type { Transaction } from './transaction.ts'
import { type ProviderResponse, type Transport, TransportError } from './transport.ts'

/**
 * Milliseconds that both calls of a sign-in, to Entra and to Graph, may take together. On new connections with a round trip of two
 * seconds they take twelve, and people reload a page that loads for much longer.
 */
export const providerTimeoutMs = 20_000

/** Why a step failed: the problem for the caller, and what is safe to log. */
export interface ProviderFailure {
  readonly kind: 'failure'
  readonly problem: Problem
  readonly error?: string | undefined
  readonly number?: number | undefined
  /** What an operator should do about it, if that is known. */
  readonly advice?: string | undefined
  /** Whether Entra rejected the application's credential, or would, which leaves the code unused. */
  readonly credentialRejected?: boolean
  /** Whether Entra rejected the code in a token request. */
  readonly codeRejected?: boolean | undefined
}

/** How Entra asks the user: who it is despite single sign-on, or nothing. Empty for its own choice. */
export type Prompt =
  | { readonly prompt?: 'select_account' }
  | { readonly prompt: 'none'; readonly login_hint?: string }

export interface Provider {
  /** Returns the URL to send the browser to. `prompt` are parameters of OpenID Connect about how Entra asks the user. */
  authorizationUrl(redirectUri: string, transaction: Transaction, prompt: Prompt): Promise<string>
  /** Returns the profile for a callback's parameters. Sends a token request and a profile request, and retries if needed. */
  identify(
    redirectUri: string,
    parameters: URLSearchParams,
    transaction: Transaction,
  ): Promise<ProviderFailure | Found>
  /** Checks the credential in use, and logs if it expires soon. A sign-in does the same. */
  checkCredential(): Promise<void>
}

export interface ProviderParts {
  readonly settings: Settings
  readonly transport: Transport
  readonly cryptography: Cryptography
  /** Gets a line about the end of the credential in use, and one about a secret that Entra rejects. */
  readonly log: Log
  /** Authenticates the application in place of what is in the settings; null for that. */
  readonly credentials: readonly ClientCredential[] | null
  /** Unix time in milliseconds. */
  readonly now: () => number
}

interface Found {
  readonly kind: 'profile'
  readonly profile: Profile
}

interface Token {
  readonly kind: 'token'
  readonly value: string
}

/** What a code is exchanged with (RFC 6749 section 4.1.3). */
interface CodeExchange extends Pick<Transaction, 'verifier'> {
  readonly redirectUri: string
  readonly parameters: URLSearchParams
  /** Unix time in milliseconds. */
  readonly deadline: number
}

/** Wait before a second profile request if Graph names none. */
const defaultRetryMs = 250

/** Minimum time that must remain for a second profile request, in milliseconds. */
const minRetryMs = 200

/**
 * Returns the URL at which Entra ends its own session (OpenID Connect RP-Initiated Logout). The user then stays on
 * Entra's page, because the only registered URI is the redirect URI, which expects a code.
 */
export function logoutUrl(settings: Settings): string {
  return `${authorityOf(settings)}/oauth2/v2.0/logout`
}

/** Returns what the URLs of a tenant at Entra start with. */
export function authorityOf({ instance, tenantId }: Settings): string {
  return `${instance}/${encodeURIComponent(tenantId)}`
}

/**
 * Creates a client for Entra. Endpoints follow from the instance and the tenant: discovery would be another request and
 * another response to trust. Tokens stay in local variables for one call.
 */
export function createProvider(parts: ProviderParts): Provider {
  const { settings, transport, cryptography, log, now } = parts
  const { instance, clientId, graphUrl } = settings
  const own = () => [...secretCredentials(settings, log, now), ...certificateCredentials(settings, now)]
  const credentials = parts.credentials ?? own()
  const authority = authorityOf(settings)
  const server: oauth.AuthorizationServer = {
    issuer: `${authority}/v2.0`,
    authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
    token_endpoint: `${authority}/oauth2/v2.0/token`,
  }
  const client: oauth.Client = { client_id: clientId }
  const insecure = instance.startsWith('http:')
  /** Index of the credential that worked last, so that an outdated first one fails once and not at every sign-in. */
  let current = 0

  function unavailable({ retryAfter }: ProviderResponse): ProviderFailure {
    const waitMs = parseRetryAfter(retryAfter, now())
    const seconds = waitMs === null ? undefined : waitMs / 1000
    return { kind: 'failure', problem: { code: 'provider-unavailable', retryAfter: seconds } }
  }

  async function requestToken(
    { redirectUri, parameters, verifier, deadline }: CodeExchange,
    authenticate: oauth.ClientAuth,
  ): Promise<Token | ProviderFailure> {
    let received: ProviderResponse | undefined
    const options: oauth.TokenEndpointRequestOptions = {
      additionalParameters: { scope },
      [oauth.allowInsecureRequests]: insecure,
      [oauth.customFetch]: async (url, { headers, body }) => {
        received = await transport(url, { method: 'POST', headers, body }, deadline - now())
        const { status, contentType, text } = received
        // Without WWW-Authenticate: with that header, oauth4webapi would not read the error body.
        return new Response(text, { status, headers: { 'content-type': contentType } })
      },
    }
    try {
      const request = [authenticate, parameters, redirectUri, verifier, options] as const
      const response = await oauth.authorizationCodeGrantRequest(server, client, ...request)
      if (received && isUnavailable(received)) return unavailable(received)
      // processAuthorizationCodeResponse would add only rules for ID tokens, which are neither requested nor read.
      const token = await oauth.processGenericTokenEndpointResponse(server, client, response)
      return includesScope(token.scope) && isBearerToken(token.access_token)
        ? { kind: 'token', value: token.access_token }
        : failure('provider-error')
    } catch (error) {
      return failureOf(error)
    }
  }

  /**
   * Tries each credential once, from the one that worked last, as long as Entra rejects them. After other failures the code may be
   * spent.
   */
  async function tokenWithAnyCredential(exchange: CodeExchange): Promise<Token | ProviderFailure> {
    const rejections: ProviderFailure[] = []
    const tried = [...credentials.slice(current), ...credentials.slice(0, current)]
    for (const credential of tried) {
      const result = await requestToken(exchange, credential.authenticate)
      if (result.kind === 'failure' && result.credentialRejected) {
        rejections.push(result)
        continue
      }
      const [rejected] = tried
      current = credentials.indexOf(credential)
      if (result.kind === 'token' && rejected && rejected !== credential) {
        const message = `Entra rejects ${rejected.name}, and takes ${credential.name}. Replace or remove ${rejected.name}.`
        log({ level: 'warning', event: 'settings', providerNumber: rejections[0]?.number, message })
      }
      return result
    }
    return rejections.at(-1) ?? failure('misconfigured')
  }

  /** Requests `/v1.0/me`, whose default fields are enough. Retries once what can pass, since by now the code is spent. */
  async function requestProfile(token: string, deadline: number): Promise<Found | ProviderFailure> {
    // The priority lets sign-ins through first when Graph throttles the application, as Microsoft recommends.
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'x-ms-throttle-priority': 'high',
    }
    const send = () => transport(`${graphUrl}/v1.0/me`, { method: 'GET', headers }, deadline - now())
    const attempt = send()
    const { canPass, retryAfter } = await attempt.then(
      ({ status, retryAfter }) => ({ canPass: isBusy(status), retryAfter }),
      error => ({
        canPass: error instanceof TransportError && error.failure === 'no-answer',
        retryAfter: null,
      }),
    )
    const waitMs = parseRetryAfter(retryAfter, now()) ?? defaultRetryMs
    const isRepeated = canPass && now() + waitMs + minRetryMs < deadline
    if (isRepeated) await new Promise(resolve => setTimeout(resolve, waitMs))
    const response = await (isRepeated ? send() : attempt)
    if (isUnavailable(response)) return unavailable(response)
    const profile = response.status === 200 ? parseProfile(response.text) : null
    return profile ? { kind: 'profile', profile } : failure('provider-error')
  }

  return {
    async authorizationUrl(redirectUri, { state, verifier }, prompt) {
      const challenge = await cryptography.sha256(new TextEncoder().encode(verifier))
      const url = new URL(server.authorization_endpoint ?? authority)
      url.search = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        response_mode: 'query',
        scope,
        state,
        code_challenge: encodeBase64url(challenge),
        code_challenge_method: 'S256',
        ...prompt,
      }).toString()
      return url.href
    },

    async identify(redirectUri, callback, { state, verifier }) {
      const deadline = now() + providerTimeoutMs
      try {
        // Any other is refused (RFC 9207 section 2.4).
        if (isIssuerOf(settings, URL.parse(callback.get('iss') ?? ''))) callback.delete('iss')
        const parameters = oauth.validateAuthResponse(server, client, callback, state)
        const token = await tokenWithAnyCredential({ redirectUri, parameters, verifier, deadline })
        return token.kind === 'token' ? await requestProfile(token.value, deadline) : token
      } catch (error) {
        return failureOf(error)
      }
    },

    async checkCredential() {
      await credentials[current]?.check()
    },
  }
}

/** The statuses that Microsoft's own client of Graph retries. */
function isBusy(status: number): boolean {
  return status === 429 || status === 503 || status === 504
}

/** Whether Entra or Graph is busy, or a firewall or proxy answered in its place, which says nothing of a credential. */
function isUnavailable({ status, text }: ProviderResponse): boolean {
  return isBusy(status) || isFromFront(status, () => null, text)
}

export function failure(code: ProblemCode): ProviderFailure {
  return { kind: 'failure', problem: { code } }
}

/**
 * Returns the failure for an error. Keeps only a listed name, a code and a number: the cause of oauth4webapi's errors can
 * hold the callback's parameters, including the code and state.
 */
function failureOf(error: unknown): ProviderFailure {
  if (error instanceof TransportError) {
    if (error.failure === 'timeout') return failure('provider-timeout')
    const cause = codeOf(error.cause)
    if (error.failure === 'too-large') return { ...failure('provider-error'), error: cause }
    const code = error.failure === 'untrusted' ? 'tls-untrusted' : 'provider-unavailable'
    return { ...failure(code), error: cause, advice: error.advice }
  }
  if (error instanceof CredentialError)
    return { ...failure('misconfigured'), error: error.code, credentialRejected: true }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    const number = numberIn(error.error_description)
    const code = problemOf(error.error, number)
    return {
      kind: 'failure',
      problem: { code, declined: number === consentDeclined || undefined },
      error: loggableError(error.error),
      number: number ?? undefined,
      credentialRejected: code === 'client-credential-rejected' && isUnauthorizedClient(error),
      codeRejected: code === 'sign-in-expired' && error instanceof oauth.ResponseBodyError,
    }
  }
  return failure('provider-error')
}

function isUnauthorizedClient(error: oauth.AuthorizationResponseError | oauth.ResponseBodyError): boolean {
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_client' && error.status === 401
}

/** Whether a token can be sent in a header: runtimes refuse others in different ways (RFC 6749 appendix A.12). */
function isBearerToken(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

/** Entra lists every scope granted so far, by name or as a URL. The field is optional (RFC 6749 §5.1). */
function includesScope(granted: string | undefined): boolean {
  if (granted === undefined) return true
  return granted
    .split(' ')
    .some(name => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === scope.toLowerCase())
}

function parseProfile(text: string): Profile | null {
  const { id, mail = null, userPrincipalName: principal } = parseObject(text) ?? {}
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(id)) return null
  if (typeof principal !== 'string' || (mail !== null && typeof mail !== 'string')) return null
  return { id, mail, userPrincipalName: principal }
}
