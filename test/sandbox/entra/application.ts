import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { Entra } from '../../../sandbox/testing/entra.ts'
import { Visitor } from '../../support/visitor.ts'

/** The origin of the application; nothing listens there. */
const applicationOrigin = 'http://localhost:9'
export const redirectUri = `${applicationOrigin}/callback`

export type Fields = Readonly<Record<string, string | undefined>>

const withoutAbsent = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** An application that signs users in at the emulator. */
export class Application {
  readonly state = 'the state'
  readonly #verifier = randomBytes(32).toString('base64url')
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

  /** Returns the authorization URL, with some parameters changed or omitted. */
  authorization(changes: Fields = {}): URL {
    const url = new URL(`${this.authority}/oauth2/v2.0/authorize`)
    const fields = withoutAbsent({
      client_id: this.entra.description.clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'User.Read',
      state: this.state,
      code_challenge: createHash('sha256').update(this.#verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    })
    url.search = new URLSearchParams(fields).toString()
    return url
  }

  /** Signs a user in. Resolves to the code. */
  async code(account = 'alice@example.com'): Promise<string> {
    const returned = await new Visitor(applicationOrigin).visitProvider(this.authorization(), account)
    return returned.get('code') ?? ''
  }

  /** Sends a token request, with some fields changed or omitted. */
  redeem(code: string, changes: Fields = {}, headers: Record<string, string> = {}): Promise<Response> {
    const fields = withoutAbsent({
      grant_type: 'authorization_code',
      client_id: this.entra.description.clientId,
      client_secret: this.entra.description.clientSecret,
      code,
      code_verifier: this.#verifier,
      redirect_uri: redirectUri,
      ...changes,
    })
    const url = `${this.authority}/oauth2/v2.0/token`
    return fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' })
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
