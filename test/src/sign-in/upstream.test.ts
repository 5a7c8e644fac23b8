import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../../sandbox/http/faults.ts'
import {
  aadsts,
  atAuthorize,
  atProfile,
  atReturn,
  atToken,
  gatewayPage,
  graphError,
  halfAnAnswer,
  megabytes,
  moreScopes,
  noScope,
  otherIssuer,
  plain,
  portalPage,
  redirect,
  reset,
  throttledProfile,
  throttledToken,
} from '../../../sandbox/testing/entra-faults.ts'
import { TransportError } from '../../../src/sign-in/transport.ts'
import { providerOf, startInProcess, storeOfOne } from '../support/in-process.ts'
import { returning } from '../support/returning.ts'
import { runtimes, type Stage, startStage } from '../support/stage.ts'

describe.each(runtimes)('a failing provider on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, { variants: { rotating: { CLIENT_SECRET: 'newer,CURRENT' } } })
  })
  afterAll(() => stage?.close())
  beforeEach(() => stage.entra.setFaults([]))

  const upstream = () => stage.entra.requests.flatMap(({ path }) => /\/(token|me)$/.exec(path)?.[1] ?? [])

  /** Signs in with these faults. Returns the result and the requests to the provider. */
  async function signInWith(faults: readonly Fault[], variant = 'main') {
    const { visitor, returned } = await returning(stage, { variant })
    stage.entra.setFaults(faults)
    stage.entra.clearRequests()
    const { status, body, headers } = await visitor.callback(returned)
    expect(visitor.cookie('session') === undefined).toBe(status !== 200)
    return {
      code: body['code'] ?? 'signed in',
      status,
      calls: upstream(),
      retryAfter: headers.get('retry-after'),
    }
  }

  it.each([
    ['a gateway’s page with 503', atToken(gatewayPage), 'provider-unavailable', 503],
    ['half a response', atToken(halfAnAnswer), 'provider-error', 502],
    ['a redirect elsewhere', atToken(redirect('http://127.0.0.1:9/')), 'provider-error', 502],
    ['a reset connection', atToken(reset, { times: null }), 'provider-unavailable', 503],
    ['a response of megabytes', atToken(megabytes), 'provider-error', 502],
    ['a page with 200', atToken(portalPage), 'provider-error', 502],
    ['another scope', atToken({ kind: 'alter', body: { scope: 'openid Mail.Read' } }), 'provider-error', 502],
    ...['a\nb', 'a b', 'caf\u00e9', 'a\u0000', '\u{1f511}'].map(
      token =>
        [
          `the malformed token ${JSON.stringify(token)}`,
          atToken({ kind: 'alter', body: { access_token: token } }),
          'provider-error',
          502,
        ] as const,
    ),
    ['an ID token of another issuer', atToken(otherIssuer), 'provider-error', 502],
    ['status 500', atToken(plain(500)), 'provider-error', 502],
    ['throttling', atToken(throttledToken('17')), 'provider-unavailable', 503],
    [
      'an expired code',
      atToken(aadsts({ code: 70008, error: 'invalid_grant' }, 400)),
      'sign-in-expired',
      401,
    ],
    ['no assignment', atToken(aadsts({ code: 50105, error: 'invalid_grant' }, 400)), 'not-assigned', 403],
    [
      'another redirect URI',
      atToken(aadsts({ code: 50011, error: 'invalid_client' }, 401)),
      'misconfigured',
      500,
    ],
    [
      'an expired secret',
      atToken(aadsts({ code: 7000222, error: 'invalid_client' }, 401)),
      'client-credential-rejected',
      500,
    ],
  ] as const)('is not asked twice for a token after %s', async (_, fault, code, status) => {
    const result = await signInWith([fault])
    expect(result).toMatchObject({ code, status, calls: ['token'] })
    if (status === 503) expect(result.retryAfter).toBe(fault.answer?.kind === 'errors' ? '17' : '10')
  })

  it.each([
    ['a token without a scope listed', atToken(noScope)],
    ['more scopes than requested', atToken(moreScopes)],
  ] as const)('can return %s', async (_, fault) => {
    expect(await signInWith([fault])).toMatchObject({ status: 200, calls: ['token', 'me'] })
  })

  it.each([
    ['a page with 200', atProfile(portalPage), 'provider-error', 502],
    ['half a response', atProfile(halfAnAnswer), 'provider-error', 502],
    ['a response of megabytes', atProfile(megabytes), 'provider-error', 502],
    ['a redirect', atProfile(redirect('/elsewhere')), 'provider-error', 502],
    ['401', atProfile(graphError(401, 'InvalidAuthenticationToken')), 'provider-error', 502],
    ['403', atProfile(graphError(403, 'Authorization_RequestDenied')), 'provider-error', 502],
    ['500', atProfile(plain(500)), 'provider-error', 502],
  ] as const)('is not asked twice for a profile after %s', async (_, fault, code, status) => {
    expect(await signInWith([fault])).toMatchObject({ code, status, calls: ['token', 'me'] })
  })

  it('is asked for the profile once more after 429 or 503, within the timeout', async () => {
    for (const busy of [throttledProfile('0'), gatewayPage])
      expect(await signInWith([atProfile(busy)])).toMatchObject({ status: 200, calls: ['token', 'me', 'me'] })
    expect(await signInWith([atProfile(throttledProfile('0'), { times: null })])).toMatchObject({
      code: 'provider-unavailable',
      calls: ['token', 'me', 'me'],
    })
  })

  it('is asked once for a token after other failures, although there is another secret', async () => {
    for (const fault of [
      atToken(gatewayPage),
      atToken(aadsts({ code: 70008, error: 'invalid_grant' }, 400)),
      atToken(aadsts({ code: 7000215, error: 'invalid_client' }, 400)),
    ] as const) {
      expect((await signInWith([fault], 'rotating')).calls).toEqual(['token'])
    }
  })

  it('gets the other secret after 401 invalid_client, and first the one that worked last', async () => {
    stage.entra.setSecrets(['CURRENT'])
    try {
      expect(await signInWith([], 'rotating')).toMatchObject({ status: 200, calls: ['token', 'token', 'me'] })
      expect(await signInWith([], 'rotating')).toMatchObject({ status: 200, calls: ['token', 'me'] })
      stage.entra.setSecrets(['another'])
      expect(await signInWith([], 'rotating')).toMatchObject({
        code: 'client-credential-rejected',
        calls: ['token', 'token'],
      })
    } finally {
      stage.entra.setSecrets([stage.entra.description.clientSecret])
    }
  })

  it('is refused if its callback names another issuer (RFC 9700 4.4, mix-up)', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    stage.entra.setFaults([atReturn(otherIssuer)])
    const returned = await visitor.visitProvider(await visitor.start(), account)
    expect(returned.has('iss')).toBe(true)
    stage.entra.clearRequests()
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'provider-error' })
    expect(upstream()).toEqual([])
  })

  /** Returns the result of a sign-in that the provider ends with an error in the redirect. */
  async function signInRedirectedWith(error: string, number?: number) {
    const visitor = stage.visitor()
    stage.entra.setFaults([atAuthorize(aadsts({ error, ...(number ? { code: number } : {}) }))])
    const returned = await visitor.visitProvider(await visitor.start(), 'nobody')
    expect(returned.get('error')).toBe(error)
    stage.entra.clearRequests()
    const answer = await visitor.callback(returned)
    expect(upstream()).toEqual([])
    expect(answer.text).not.toContain('AADSTS')
    expect(visitor.cookie('session')).toBeUndefined()
    return { code: answer.body['code'], status: answer.status }
  }

  // `provider-errors.test.ts` has all of Entra's errors and numbers.
  it.each([
    ['access_denied', undefined, 'sign-in-refused', 403],
    ['temporarily_unavailable', undefined, 'provider-unavailable', 503],
    ['something_new', undefined, 'provider-error', 502],
    ['server_error', 65001, 'consent-required', 403],
    ['server_error', 50011, 'misconfigured', 500],
  ] as const)('can redirect with the error %s and the number %s', async (error, number, code, status) => {
    expect(await signInRedirectedWith(error, number)).toEqual({ code, status })
  })
})

it.each(['token', 'profile'] as const)(
  'has one limit for both requests, and ends with a %s that is late',
  async late => {
    const limits: number[] = []
    const respond = providerOf('D1')
    const handler = startInProcess({}, storeOfOne, async (url, request, limitMs) => {
      limits.push(limitMs)
      handler.now += 12_000
      if (url.endsWith('/token') === (late === 'token')) throw new TransportError('timeout')
      return respond(url, request, limitMs)
    })
    const { cookie, callback } = await handler.start()
    const response = await handler.call(callback, cookie)
    expect([response.status, await response.json()]).toMatchObject([504, { code: 'provider-timeout' }])
    expect(limits).toEqual(late === 'token' ? [20_000] : [20_000, 8_000])
  },
)
