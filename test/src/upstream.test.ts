import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EntraFault } from '../../sandbox/entra/entra.ts'
import { runtimes, type Stage, startStage } from './support/stage.ts'

describe.each(runtimes)('the provider’s failures on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      env: { PROVIDER_TIMEOUT: '700ms' },
      variants: {
        wrong: { CLIENT_SECRET: 'not-the-secret' },
        rotating: { CLIENT_SECRET: 'newer,CURRENT' },
        patient: { PROVIDER_TIMEOUT: '2s' },
      },
    })
  })
  afterAll(() => stage?.close())
  beforeEach(() => stage.entra.setFaults([]))

  const upstream = () =>
    stage.entra.requests.flatMap(({ path }) =>
      /\/(token|me)$/.exec(path)?.[1] ? [/\/(token|me)$/.exec(path)?.[1]] : [],
    )

  /** A sign-in that meets these faults, what it ended with, and which calls were made. */
  const meeting = async (faults: readonly EntraFault[], variant = 'main') => {
    const { account } = await stage.hire()
    const visitor = stage.visitor(variant)
    const returned = await visitor.visitProvider(await visitor.start(), account)
    stage.entra.setFaults(faults)
    stage.entra.clearRequests()
    const started = Date.now()
    const { status, body, headers } = await visitor.callback(returned)
    expect(visitor.cookie('session') === undefined).toBe(status !== 200)
    return {
      code: body['code'] ?? 'signed in',
      status,
      calls: upstream(),
      retryAfter: headers.get('retry-after'),
      tookMs: Date.now() - started,
    }
  }

  it.each([
    ['a gateway’s page with 503', { on: 'token', kind: 'html503' }, 'provider-unavailable', 503],
    ['half an answer', { on: 'token', kind: 'json-cut' }, 'provider-error', 502],
    ['a redirect', { on: 'token', kind: 'redirect' }, 'provider-error', 502],
    [
      'a redirect elsewhere',
      { on: 'token', kind: 'redirect', location: 'http://127.0.0.1:9/' },
      'provider-error',
      502,
    ],
    ['silence', { on: 'token', kind: 'stall' }, 'provider-timeout', 504],
    ['one byte at a time', { on: 'token', kind: 'drip' }, 'provider-timeout', 504],
    ['a reset connection', { on: 'token', kind: 'reset', times: null }, 'provider-unavailable', 503],
    ['megabytes', { on: 'token', kind: 'oversize' }, 'provider-error', 502],
    ['a page with 200', { on: 'token', kind: 'not-json' }, 'provider-error', 502],
    [
      'another scope',
      { on: 'token', kind: 'extra-scopes', scope: 'openid Mail.Read' },
      'provider-error',
      502,
    ],
    ['somebody else’s ID token', { on: 'token', kind: 'wrong-iss' }, 'provider-error', 502],
    ['status 500', { on: 'token', kind: 'status' }, 'provider-error', 502],
    ['throttling', { on: 'token', kind: 'throttle', retryAfter: '17' }, 'provider-unavailable', 503],
    [
      'an expired code',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 70008 },
      'sign-in-expired',
      401,
    ],
    [
      'a used code',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 54005 },
      'sign-in-expired',
      401,
    ],
    [
      'another verifier',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 501481 },
      'sign-in-expired',
      401,
    ],
    [
      'a disabled account',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 50057 },
      'sign-in-refused',
      403,
    ],
    [
      'a second factor',
      { on: 'token', kind: 'status', status: 400, error: 'interaction_required', code: 50076 },
      'sign-in-refused',
      403,
    ],
    [
      'missing consent',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 65001 },
      'consent-required',
      403,
    ],
    [
      'no assignment',
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 50105 },
      'not-assigned',
      403,
    ],
    [
      'another redirect address',
      { on: 'token', kind: 'status', status: 401, error: 'invalid_client', code: 50011 },
      'misconfigured',
      500,
    ],
    [
      'an unknown application',
      { on: 'token', kind: 'status', status: 400, error: 'unauthorized_client', code: 700016 },
      'misconfigured',
      500,
    ],
    [
      'an expired secret',
      { on: 'token', kind: 'status', status: 401, error: 'invalid_client', code: 7000222 },
      'client-credential-rejected',
      500,
    ],
  ] as const)('ends as one token request says: %s', async (_, fault, code, status) => {
    // For an ID token the stand-in makes an RSA key first, which a busy machine takes its time for.
    const result = await meeting([fault], fault.kind === 'wrong-iss' ? 'patient' : 'main')
    expect(result).toMatchObject({ code, status, calls: ['token'] })
    if (status === 503) expect(result.retryAfter).toBe(fault.kind === 'throttle' ? '17' : '10')
    if (status === 504) expect(result.tookMs).toBeLessThan(2500)
  })

  it.each([
    ['a token without a scope listed', { on: 'token', kind: 'no-scope' }],
    ['more scopes than were asked for', { on: 'token', kind: 'extra-scopes' }],
  ] as const)('is content with %s', async (_, fault) => {
    expect(await meeting([fault])).toMatchObject({ status: 200, calls: ['token', 'me'] })
  })

  it.each([
    ['a page with 200', { on: 'me', kind: 'not-json' }, 'provider-error', 502],
    ['half an answer', { on: 'me', kind: 'json-cut' }, 'provider-error', 502],
    ['megabytes', { on: 'me', kind: 'oversize' }, 'provider-error', 502],
    ['a redirect', { on: 'me', kind: 'redirect' }, 'provider-error', 502],
    ['silence', { on: 'me', kind: 'stall' }, 'provider-timeout', 504],
    [
      '401',
      { on: 'me', kind: 'status', status: 401, error: 'InvalidAuthenticationToken' },
      'provider-error',
      502,
    ],
    [
      '403',
      { on: 'me', kind: 'status', status: 403, error: 'Authorization_RequestDenied' },
      'provider-error',
      502,
    ],
    ['500', { on: 'me', kind: 'status' }, 'provider-error', 502],
  ] as const)('ends as one profile request says: %s', async (_, fault, code, status) => {
    expect(await meeting([fault])).toMatchObject({ code, status, calls: ['token', 'me'] })
  })

  it('asks for the profile once more after 429 or 503, within its time', async () => {
    expect(await meeting([{ on: 'me', kind: 'throttle', retryAfter: '0' }])).toMatchObject({
      status: 200,
      calls: ['token', 'me', 'me'],
    })
    expect(await meeting([{ on: 'me', kind: 'html503' }])).toMatchObject({
      status: 200,
      calls: ['token', 'me', 'me'],
    })
    expect(await meeting([{ on: 'me', kind: 'throttle', retryAfter: '0', times: null }])).toMatchObject({
      code: 'provider-unavailable',
      calls: ['token', 'me', 'me'],
    })
  })

  it('gives both calls one time together', async () => {
    const delayMs = 1300
    const slow = (['token', 'me'] as const).map(on => ({ on, kind: 'stall', delayMs }) as const)
    const result = await meeting(slow, 'patient')
    expect(result).toMatchObject({ code: 'provider-timeout', status: 504, calls: ['token', 'me'] })
    expect(result.tookMs).toBeGreaterThanOrEqual(delayMs)
  })

  it('passes on a wait of ten minutes at most, and asks for ten seconds where the provider did not say', async () => {
    for (const [retryAfter, said] of [
      ['86400', '600'],
      ['601', '600'],
      ['600', '600'],
      ['0', '1'],
      ['soon', '10'],
    ] as const) {
      expect(await meeting([{ on: 'token', kind: 'throttle', retryAfter }])).toMatchObject({
        code: 'provider-unavailable',
        status: 503,
        retryAfter: said,
      })
    }
  })

  it('does not wait longer than its time, and says how long the provider wants', async () => {
    expect(await meeting([{ on: 'me', kind: 'throttle', retryAfter: '30' }])).toMatchObject({
      code: 'provider-unavailable',
      calls: ['token', 'me'],
      retryAfter: '30',
    })
  })

  it('says that the application’s secret was rejected, to the operator too', async () => {
    expect(await meeting([], 'wrong')).toMatchObject({
      code: 'client-credential-rejected',
      status: 500,
      calls: ['token'],
    })
    await expect
      .poll(() => stage.output())
      .toMatch(/"code":"client-credential-rejected".*"providerNumber":7000215/)
  })

  it('never repeats the token request for any other failure, though another secret is there', async () => {
    for (const fault of [
      { on: 'token', kind: 'html503' },
      { on: 'token', kind: 'stall' },
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 70008 },
      { on: 'token', kind: 'status', status: 400, error: 'invalid_client', code: 7000215 },
    ] as const) {
      expect((await meeting([fault], 'rotating')).calls).toEqual(['token'])
    }
  })

  it('tries the other secret once after 401 invalid_client, and remembers which one worked', async () => {
    stage.entra.setSecrets(['CURRENT'])
    try {
      expect(await meeting([], 'rotating')).toMatchObject({ status: 200, calls: ['token', 'token', 'me'] })
      expect(await meeting([], 'rotating')).toMatchObject({ status: 200, calls: ['token', 'me'] })
      stage.entra.setSecrets(['another'])
      expect(await meeting([], 'rotating')).toMatchObject({
        code: 'client-credential-rejected',
        calls: ['token', 'token'],
      })
    } finally {
      stage.entra.setSecrets([stage.entra.description.clientSecret])
    }
  })

  it('refuses an answer that names another issuer (RFC 9700 4.4, mix-up)', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    stage.entra.setFaults([{ on: 'authorize', kind: 'wrong-iss' }])
    const returned = await visitor.visitProvider(await visitor.start(), account)
    expect(returned.has('iss')).toBe(true)
    stage.entra.clearRequests()
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'provider-error' })
    expect(upstream()).toEqual([])
  })

  /** A sign-in that the provider ends at the redirect with this error, and this AADSTS number where there is one. */
  const redirectedWith = async (error: string, number?: number) => {
    const visitor = stage.visitor()
    stage.entra.setFaults([{ on: 'authorize', kind: 'status', error, ...(number ? { code: number } : {}) }])
    const returned = await visitor.visitProvider(await visitor.start(), 'nobody')
    expect(returned.get('error')).toBe(error)
    stage.entra.clearRequests()
    const answer = await visitor.callback(returned)
    expect(upstream()).toEqual([])
    expect(answer.text).not.toContain('AADSTS')
    expect(visitor.cookie('session')).toBeUndefined()
    return { code: answer.body['code'], status: answer.status }
  }

  it.each([
    ['access_denied', 'sign-in-refused', 403],
    ['interaction_required', 'sign-in-refused', 403],
    ['login_required', 'sign-in-refused', 403],
    ['account_selection_required', 'sign-in-refused', 403],
    ['consent_required', 'consent-required', 403],
    ['unauthorized_client', 'misconfigured', 500],
    ['invalid_request', 'misconfigured', 500],
    ['invalid_scope', 'misconfigured', 500],
    ['invalid_resource', 'misconfigured', 500],
    ['unsupported_response_type', 'misconfigured', 500],
    ['unsupported_grant_type', 'misconfigured', 500],
    ['server_error', 'provider-error', 502],
    ['temporarily_unavailable', 'provider-unavailable', 503],
    ['something_new', 'provider-error', 502],
  ] as const)('knows the error %s that comes with the redirect', async (error, code, status) => {
    expect(await redirectedWith(error)).toEqual({ code, status })
  })

  it.each([
    [50011, 'misconfigured', 500],
    [500208, 'misconfigured', 500],
    [50194, 'misconfigured', 500],
    [50105, 'not-assigned', 403],
    [50057, 'sign-in-refused', 403],
    [50074, 'sign-in-refused', 403],
    [50076, 'sign-in-refused', 403],
    [50079, 'sign-in-refused', 403],
    [53000, 'sign-in-refused', 403],
    [53001, 'sign-in-refused', 403],
    [53002, 'sign-in-refused', 403],
    [53003, 'sign-in-refused', 403],
    [65001, 'consent-required', 403],
    [65004, 'consent-required', 403],
    [90094, 'consent-required', 403],
  ] as const)('goes by AADSTS%i rather than by the error it came with', async (number, code, status) => {
    // None of these failures is what `server_error` alone would be.
    expect(await redirectedWith('server_error', number)).toEqual({ code, status })
  })
})
