import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Fault, FaultAnswer } from '../../../sandbox/http/faults.ts'
import {
  aadsts,
  atAuthorize,
  atProfile,
  atReturn,
  atToken,
  drip,
  gatewayPage,
  graphError,
  halfAnAnswer,
  ignoreVerifier,
  late,
  megabytes,
  moreScopes,
  noScope,
  otherIssuer,
  plain,
  portalPage,
  redirect,
  reset,
  silence,
  throttledProfile,
  throttledToken,
} from '../../support/entra-faults.ts'
import { Application, returnedFields } from './application.ts'

let application: Application
beforeAll(async () => {
  application = await Application.start()
})
afterEach(() => application.entra.setFaults([]))
afterAll(() => application.entra.close())

const fault = (...faults: readonly Fault[]) => application.entra.setFaults(faults)

/** The code of the error with which oauth4webapi refuses an answer. */
const refusedBy = async (exchange: Promise<unknown>): Promise<unknown> =>
  exchange.then(
    () => 'accepted',
    (error: { code?: unknown; error?: unknown; name?: unknown }) =>
      [error.error, error.code, error.name].find(text => typeof text === 'string'),
  )

const exchanged = async () => {
  const { url } = await application.signIn('alice@example.com')
  return refusedBy(application.exchange(url))
}

describe('a fault at the token endpoint', () => {
  it.each<[FaultAnswer, string]>([
    [gatewayPage, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [halfAnAnswer, 'OAUTH_PARSE_ERROR'],
    [redirect('/elsewhere'), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [portalPage, 'OAUTH_RESPONSE_IS_NOT_JSON'],
    [plain(500), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [throttledToken('1'), 'temporarily_unavailable'],
    [otherIssuer, 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    [reset, 'TypeError'],
  ])('$kind is refused by oauth4webapi: %s', async (answer, reason) => {
    fault(atToken(answer))
    expect(await exchanged()).toBe(reason)
    expect(await exchanged()).toBe('accepted')
  })

  it('stall says nothing until the client leaves, and with a delay answers late', async () => {
    fault(atToken(silence), atToken(late(150)))
    const { url } = await application.signIn('alice@example.com')
    const gone = application.exchange(url, { signal: AbortSignal.timeout(100) })
    expect(await refusedBy(gone)).toBe('TimeoutError')
    expect(application.entra.requests.at(-1)).toMatchObject({ status: null })
    const begun = performance.now()
    await application.exchange(url)
    expect(performance.now() - begun).toBeGreaterThan(140)
  })

  it('drip sends the real answer byte by byte', async () => {
    fault(atToken(drip(1)))
    const { url } = await application.signIn('alice@example.com')
    const begun = performance.now()
    expect((await application.exchange(url)).scope).toBe('User.Read')
    expect(performance.now() - begun).toBeGreaterThan(100)
  })

  it('oversize is valid, and four megabytes long', async () => {
    fault(atToken(megabytes))
    const text = await (await application.redeem(await application.code())).text()
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024)
    expect(JSON.parse(text)).toMatchObject({ token_type: 'Bearer' })
  })

  it('extra-scopes and no-scope change what the answer says of scopes', async () => {
    fault(atToken(moreScopes), atToken({ kind: 'alter', body: { scope: 'openid' } }), atToken(noScope))
    const scopes = async () => {
      const response = await application.redeem(await application.code())
      return ((await response.json()) as { scope?: string }).scope
    }
    expect((await scopes())?.split(' ')).toEqual(expect.arrayContaining(['User.Read', 'Directory.Read.All']))
    expect(await scopes()).toBe('openid')
    expect(await scopes()).toBeUndefined()
  })

  it('ignore-verifier redeems a code with any verifier, with none, and still only once', async () => {
    fault(ignoreVerifier)
    for (const changes of [
      { code_verifier: 'v'.repeat(43) },
      { code_verifier: undefined },
      { code_verifier: '?' },
    ]) {
      const code = await application.code()
      expect((await application.redeem(code, changes)).status).toBe(200)
      expect(await (await application.redeem(code, changes)).json()).toMatchObject({ error_codes: [54005] })
    }
    const refused = await application.redeem(await application.code(), { client_secret: 'wrong' })
    expect(refused.status).toBe(401)
  })

  it('status with an error or a number has the envelope', async () => {
    fault(
      atToken(aadsts({ code: 70043, error: 'invalid_grant' }, 400)),
      atToken(aadsts({ code: 7000222 })),
      atToken(throttledToken('7', 503)),
    )
    const unknown = await application.redeem('code')
    expect(unknown.status).toBe(400)
    expect(await unknown.json()).toMatchObject({ error: 'invalid_grant', error_codes: [70043] })
    const known = await application.redeem('code')
    expect(known.status).toBe(401)
    expect(await known.json()).toMatchObject({ error: 'invalid_client', error_codes: [7000222] })
    const throttled = await application.redeem('code')
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([503, '7'])
  })

  it('leaves the code to be redeemed, unless the operation is to be carried out', async () => {
    const code = await application.code()
    fault(atToken(gatewayPage), atToken(reset, { commit: true }))
    expect((await application.redeem(code)).status).toBe(503)
    await expect(application.redeem(code)).rejects.toThrow('fetch failed')
    expect(await (await application.redeem(code)).json()).toMatchObject({ error_codes: [54005] })
  })
})

describe('a fault at the profile', () => {
  it.each<[FaultAnswer, number]>([
    [gatewayPage, 503],
    [plain(502), 502],
    [redirect('http://localhost:9/elsewhere'), 302],
    [throttledProfile('1'), 429],
  ])('%o answers %d', async (answer, status) => {
    const token = await application.token()
    fault(atProfile(answer))
    const response = await application.me(token)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
    expect(response.headers.get('location')).toBe(status === 302 ? 'http://localhost:9/elsewhere' : null)
    expect((await application.me(token)).status).toBe(200)
  })

  it('has the directory API’s shape when it has a code', async () => {
    fault(atProfile(graphError(403, 'Authorization_RequestDenied')), atProfile(throttledProfile('1')))
    const denied = await application.me('any')
    expect(await denied.json()).toMatchObject({ error: { code: 'Authorization_RequestDenied' } })
    expect(await (await application.me('any')).json()).toMatchObject({ error: { code: 'TooManyRequests' } })
  })

  it('can cut, stall, drip, swell, reset or replace the answer', async () => {
    const token = await application.token()
    fault(atProfile(halfAnAnswer), atProfile(portalPage), atProfile(reset))
    await expect((await application.me(token)).json()).rejects.toThrow(SyntaxError)
    expect((await application.me(token)).headers.get('content-type')).toMatch(/^text\/html/)
    await expect(application.me(token)).rejects.toThrow('fetch failed')
    fault(atProfile(megabytes), atProfile(drip(1)), atProfile(late(50)))
    expect((await (await application.me(token)).text()).length).toBeGreaterThan(4 * 1024 * 1024)
    expect(await (await application.me(token)).json()).toMatchObject({ mail: 'alice@example.com' })
    expect((await application.me(token)).status).toBe(200)
  })
})

describe('a fault at the authorize endpoint', () => {
  it('wrong-iss is in the redirect to the application, where oauth4webapi refuses it', async () => {
    fault(atReturn(otherIssuer))
    const { url } = await application.signIn('alice@example.com')
    expect(url.searchParams.get('iss')).toMatch(/^https:\/\/login\.example\.net\//)
    expect(await refusedBy(application.exchange(url))).toBe('OAUTH_INVALID_RESPONSE')
    expect(await exchanged()).toBe('accepted')
  })

  it('status with a number sends the browser back with that error', async () => {
    fault(atAuthorize(aadsts({ code: 53000, error: 'interaction_required' })))
    expect(returnedFields(await application.signIn('alice@example.com'))).toMatchObject({
      error: 'interaction_required',
      error_description: expect.stringMatching(/^AADSTS53000: /),
      state: application.state,
    })
    fault(atAuthorize(aadsts({ code: 53000, error: 'interaction_required' })))
    const elsewhere = await application.signIn('alice', { redirect_uri: 'https://attacker.example/' })
    expect(elsewhere.text).toContain('AADSTS53000')
  })

  it.each<[FaultAnswer, number]>([
    [gatewayPage, 503],
    [plain(500), 500],
    [aadsts({ code: 50020 }, 400), 400],
    [throttledToken('1'), 429],
  ])('%o is a page', async (answer, status) => {
    fault(atAuthorize(answer))
    expect((await application.browser().go(await application.authorization())).response?.status).toBe(status)
  })

  it('can stall, drip, reset or redirect', async () => {
    fault(atAuthorize(reset), atAuthorize(redirect('http://localhost:9/x')))
    await expect(application.signIn('alice@example.com')).rejects.toThrow('fetch failed')
    expect((await application.signIn('alice@example.com')).url.href).toBe('http://localhost:9/x')
    fault(atAuthorize(drip(1)), atAuthorize(late(20)))
    expect((await application.signIn('alice@example.com')).url.searchParams.has('code')).toBe(true)
    expect((await application.signIn('alice@example.com')).url.searchParams.has('code')).toBe(true)
  })
})

describe('faults', () => {
  it('are met so often as was said, once unless said, for ever with null', async () => {
    const statuses = async (count: number) => {
      const answers: number[] = []
      for (let at = 0; at < count; at += 1) answers.push((await application.me('x')).status)
      return answers
    }
    fault(atProfile(gatewayPage, { times: 2 }), atProfile(throttledProfile('1')))
    expect(await statuses(4)).toEqual([503, 503, 429, 401])
    fault(atProfile(gatewayPage, { times: null }))
    expect(await statuses(4)).toEqual([503, 503, 503, 503])
  })

  it('that cannot be are refused, and the others stay', async () => {
    fault(atProfile(gatewayPage))
    expect(() => fault(atProfile(otherIssuer))).toThrow('answer.kind must be one of')
    expect(() => fault(atProfile(plain(42)))).toThrow('answer.status must be')
    expect(() => fault(atProfile(reset, { times: 0 }))).toThrow('times must be')
    expect(() => fault(atProfile(drip(-1)))).toThrow('answer.everyMs must be')
    expect((await application.me('x')).status).toBe(503)
  })
})
