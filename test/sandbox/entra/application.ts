import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import { afterAll, beforeAll } from 'vitest'
import type { EntraUser } from '../../../sandbox/entra/users.ts'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { Browser, type Visit } from './browser.ts'

/** The origin of the application; nothing listens there. */
const applicationOrigin = 'http://localhost:9'
export const redirectUri = `${applicationOrigin}/callback`

export type Fields = Readonly<Record<string, string | undefined>>

const withoutAbsent = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** An application that signs users in at the emulator, by hand or with oauth4webapi. */
export class Application {
  readonly state = generateRandomState()
  readonly verifier = generateRandomCodeVerifier()
  readonly #entra: () => Entra

  constructor(entra: () => Entra) {
    this.#entra = entra
  }

  get entra(): Entra {
    return this.#entra()
  }

  get authority(): string {
    const { instance, tenantId } = this.entra.description
    return `${instance}${tenantId}`
  }

  get client(): Client {
    return { client_id: this.entra.description.clientId }
  }

  get server(): AuthorizationServer {
    const { authority } = this
    return {
      issuer: `${authority}/v2.0`,
      authorization_endpoint: `${authority}/oauth2/v2.0/authorize`,
      token_endpoint: `${authority}/oauth2/v2.0/token`,
    }
  }

  /** Returns Alice, and the other users of the tenant. */
  get users(): { readonly alice: EntraUser; readonly others: readonly EntraUser[] } {
    const [alice, ...others] = this.entra.description.users
    if (alice === undefined) throw new Error('The tenant has no users.')
    return { alice, others }
  }

  browser(): Browser {
    return new Browser(applicationOrigin)
  }

  /** Returns the authorization URL, with some parameters changed or omitted. */
  async authorization(changes: Fields = {}): Promise<URL> {
    const url = new URL(`${this.authority}/oauth2/v2.0/authorize`)
    const fields = withoutAbsent({
      client_id: this.entra.description.clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'User.Read',
      state: this.state,
      code_challenge: await calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: 'S256',
      ...changes,
    })
    url.search = new URLSearchParams(fields).toString()
    return url
  }

  /** Signs a user in with a new browser, or the given one. Ends at the application or at an error page. */
  async signIn(account: string, changes: Fields = {}, browser = this.browser()): Promise<Visit> {
    const visit = await browser.go(await this.authorization(changes))
    return visit.url.pathname.startsWith('/interaction/') ? browser.pick(visit, account) : visit
  }

  async code(account = 'alice@example.com', changes: Fields = {}): Promise<string> {
    const { url, text } = await this.signIn(account, changes)
    const code = url.searchParams.get('code')
    if (code === null) throw new Error(`No code came back: ${url.href}\n${text}`)
    return code
  }

  /** Sends a token request, with some fields changed or omitted. */
  redeem(code: string, changes: Fields = {}, headers: Record<string, string> = {}): Promise<Response> {
    const fields = withoutAbsent({
      grant_type: 'authorization_code',
      client_id: this.entra.description.clientId,
      client_secret: this.entra.description.clientSecret,
      code,
      code_verifier: this.verifier,
      redirect_uri: redirectUri,
      ...changes,
    })
    const url = `${this.authority}/oauth2/v2.0/token`
    return fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
  }

  /** Redeems the code of a callback URL with oauth4webapi, which validates both responses. */
  async exchange(returned: URL): Promise<TokenEndpointResponse> {
    const { server, client } = this
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      ClientSecretPost(this.entra.description.clientSecret),
      validateAuthResponse(server, client, returned, this.state),
      redirectUri,
      this.verifier,
      { [allowInsecureRequests]: true },
    )
    return processAuthorizationCodeResponse(server, client, response)
  }

  async token(account?: string, changes?: Fields): Promise<string> {
    const response = await this.redeem(await this.code(account, changes))
    const { access_token: token } = (await response.json()) as { access_token: string }
    return token
  }

  me(token: string | undefined, query = '', headers: Record<string, string> = {}): Promise<Response> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const url = `${this.entra.description.graphUrl}/v1.0/me${query}`
    return fetch(url, { headers: { ...authorization, ...headers }, redirect: 'manual' })
  }
}

/** Starts the emulator for the tests of a file, and closes it after them. Returns its application. */
export function runApplication(redirectUris: readonly string[] = [redirectUri]): Application {
  let entra: Entra
  beforeAll(async () => {
    entra = await Entra.start({ redirectUris })
  })
  afterAll(() => entra.close())
  return new Application(() => entra)
}

/** Returns the query parameters of the callback. */
export const returnedFields = ({ url }: Visit): Record<string, string> => Object.fromEntries(url.searchParams)
