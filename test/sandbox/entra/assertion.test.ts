import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AssertionChanges,
  createClientCertificate,
  signAssertion,
  type TestCertificate,
} from '../../../sandbox/testing/client-certificate.ts'
import {
  startTokenIssuer,
  type TokenIssuer,
  tokenAudience,
  tokenSubject,
} from '../../../sandbox/testing/token-issuer.ts'
import { type Fields, runApplication } from './application.ts'

const dayMs = 86_400_000
const registered = createClientCertificate()
const expired = createClientCertificate({
  keyOf: registered,
  from: Date.now() - 2 * dayMs,
  until: Date.now() - dayMs,
})
const stranger = createClientCertificate()

const application = runApplication()
let issuer: TokenIssuer
beforeAll(async () => {
  issuer = await startTokenIssuer()
  const trusted = (url: string) => ({ issuer: url, subject: tokenSubject, audiences: [tokenAudience] })
  application.entra.control.setState({
    entra: {
      credentials: {
        keyCredentials: [{ key: registered.der }, { key: expired.der }],
        federatedIdentityCredentials: [trusted(issuer.url), trusted('https://issuer.example')],
      },
    },
  })
})
afterAll(() => issuer.close())

/** Returns an assertion that the emulator accepts, with changes. */
const assertion = ({
  by = registered,
  ...changes
}: AssertionChanges & { readonly by?: TestCertificate } = {}) =>
  signAssertion(
    by,
    { aud: `${application.authority}/oauth2/v2.0/token`, clientId: application.entra.description.clientId },
    changes,
  )

const proof = (text: string): Fields => ({
  client_secret: undefined,
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: text,
})

async function redeemed(code: string, changes: Fields): Promise<unknown> {
  const response = await application.redeem(code, changes)
  const { error, error_codes: [number] = [] } = (await response.json()) as {
    error?: string
    error_codes?: readonly number[]
  }
  return error === undefined ? response.status : [response.status, error, number]
}

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow

describe('an assertion of the application', () => {
  it.each<[string, () => AssertionChanges]>([
    ['PS256', () => ({})],
    ['the tenant’s issuer as audience', () => ({ claims: { aud: `${application.authority}/v2.0` } })],
  ])('redeems a code with %s', async (_, changes) => {
    expect(await redeemed(await application.code(), proof(assertion(changes())))).toBe(200)
  })

  it.each<[string, () => Fields, number]>([
    ['another certificate', () => proof(assertion({ by: stranger })), 700027],
    ['another key', () => proof(assertion({ signedBy: stranger })), 700027],
    ['an expired certificate', () => proof(assertion({ by: expired })), 700027],
    ['no thumbprint', () => proof(assertion({ header: { 'x5t#S256': undefined } })), 700027],
    ['no signature', () => proof(assertion({ header: { alg: 'none' } })), 700027],
    ['another issuer', () => proof(assertion({ claims: { iss: randomUUID() } })), 700021],
    ['another subject', () => proof(assertion({ claims: { sub: randomUUID() } })), 700021],
    ['another audience', () => proof(assertion({ claims: { aud: 'https://example.com' } })), 700023],
    ['an end in the past', () => proof(assertion({ claims: { exp: seconds(-301) } })), 700024],
    ['a start in the future', () => proof(assertion({ claims: { nbf: seconds(330) } })), 700024],
    ['no end', () => proof(assertion({ claims: { exp: undefined } })), 700024],
    ['other text', () => proof('a.b.c'), 50027],
    ['another type', () => ({ ...proof(assertion()), client_assertion_type: 'saml' }), 50027],
  ])('with %s is refused, and the code stays usable', async (_, fields, number) => {
    const code = await application.code()
    expect(await redeemed(code, fields())).toEqual([401, 'invalid_client', number])
    expect(await redeemed(code, proof(assertion()))).toBe(200)
  })

  it('is refused together with a secret', async () => {
    const fields = { ...proof(assertion()), client_secret: application.entra.description.clientSecret }
    expect(await redeemed('x', fields)).toEqual([400, 'invalid_request', 9002313])
  })

  it('proves nothing for an application that is not registered', async () => {
    const client_id = randomUUID()
    const fields = { ...proof(assertion({ claims: { iss: client_id, sub: client_id } })), client_id }
    expect(await redeemed('x', fields)).toEqual([400, 'unauthorized_client', 700016])
  })
})

describe('a token of another issuer', () => {
  it('redeems a code if the application trusts its issuer, subject and audience', async () => {
    expect(await redeemed(await application.code(), proof(issuer.issue()))).toBe(200)
    const severalAudiences = issuer.issue({ aud: ['other', tokenAudience] })
    expect(await redeemed(await application.code(), proof(severalAudiences))).toBe(200)
  })

  it.each<[string, () => string, number, string, number]>([
    ['another issuer', () => issuer.issue({ iss: `${issuer.url}/` }), 401, 'invalid_client', 700211],
    [
      'another subject',
      () => issuer.issue({ sub: tokenSubject.toUpperCase() }),
      401,
      'invalid_client',
      700213,
    ],
    ['another audience', () => issuer.issue({ aud: 'https://example.com' }), 401, 'invalid_client', 700212],
    ['another key', () => issuer.issue({}, stranger.privateKey), 401, 'invalid_client', 7000272],
    ['an end in the past', () => issuer.issue({ exp: seconds(-301) }), 401, 'invalid_client', 700024],
    [
      'an issuer that cannot be reached',
      () => issuer.issue({ iss: 'https://issuer.example' }),
      400,
      'invalid_request',
      90061,
    ],
  ])('with %s is refused, and the code stays usable', async (_, text, status, error, number) => {
    const code = await application.code()
    expect(await redeemed(code, proof(text()))).toEqual([status, error, number])
    expect(await redeemed(code, proof(issuer.issue()))).toBe(200)
  })
})
