import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { EntraFault } from '../../../sandbox/entra/entra.ts'
import { Application, returnedFields } from './application.ts'

let application: Application
beforeAll(async () => {
  application = await Application.start()
})
afterEach(() => application.entra.setFaults([]))
afterAll(() => application.entra.close())

const fault = (...faults: readonly EntraFault[]) => application.entra.setFaults(faults)

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
  it.each<[EntraFault['kind'], string]>([
    ['html503', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ['json-cut', 'OAUTH_PARSE_ERROR'],
    ['redirect', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ['not-json', 'OAUTH_RESPONSE_IS_NOT_JSON'],
    ['status', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ['throttle', 'temporarily_unavailable'],
    ['wrong-iss', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'],
    ['reset', 'TypeError'],
  ])('%s is refused by oauth4webapi: %s', async (kind, reason) => {
    fault({ on: 'token', kind })
    expect(await exchanged()).toBe(reason)
    expect(await exchanged()).toBe('accepted')
  })

  it('stall says nothing until the client leaves, and with a delay answers late', async () => {
    fault({ on: 'token', kind: 'stall' }, { on: 'token', kind: 'stall', delayMs: 150 })
    const { url } = await application.signIn('alice@example.com')
    const gone = application.exchange(url, { signal: AbortSignal.timeout(100) })
    expect(await refusedBy(gone)).toBe('TimeoutError')
    expect(application.entra.requests.at(-1)).toMatchObject({ status: null })
    const begun = performance.now()
    await application.exchange(url)
    expect(performance.now() - begun).toBeGreaterThan(140)
  })

  it('drip sends the real answer byte by byte', async () => {
    fault({ on: 'token', kind: 'drip', delayMs: 1 })
    const { url } = await application.signIn('alice@example.com')
    const begun = performance.now()
    expect((await application.exchange(url)).scope).toBe('User.Read')
    expect(performance.now() - begun).toBeGreaterThan(100)
  })

  it('oversize is valid, and four megabytes long', async () => {
    fault({ on: 'token', kind: 'oversize' })
    const text = await (await application.redeem(await application.code())).text()
    expect(text.length).toBeGreaterThan(4 * 1024 * 1024)
    expect(JSON.parse(text)).toMatchObject({ token_type: 'Bearer' })
  })

  it('extra-scopes and no-scope change what the answer says of scopes', async () => {
    fault(
      { on: 'token', kind: 'extra-scopes' },
      { on: 'token', kind: 'extra-scopes', scope: 'openid' },
      { on: 'token', kind: 'no-scope' },
    )
    const scopes = async () => {
      const response = await application.redeem(await application.code())
      return ((await response.json()) as { scope?: string }).scope
    }
    expect((await scopes())?.split(' ')).toEqual(expect.arrayContaining(['User.Read', 'Directory.Read.All']))
    expect(await scopes()).toBe('openid')
    expect(await scopes()).toBeUndefined()
  })

  it('ignore-verifier redeems a code with any verifier, with none, and still only once', async () => {
    fault({ on: 'token', kind: 'ignore-verifier', times: null })
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
      { on: 'token', kind: 'status', status: 400, error: 'invalid_grant', code: 70043 },
      { on: 'token', kind: 'status', code: 7000222 },
      { on: 'token', kind: 'throttle', status: 503, retryAfter: '7' },
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
    fault({ on: 'token', kind: 'html503' }, { on: 'token', kind: 'reset', commit: true })
    expect((await application.redeem(code)).status).toBe(503)
    await expect(application.redeem(code)).rejects.toThrow('fetch failed')
    expect(await (await application.redeem(code)).json()).toMatchObject({ error_codes: [54005] })
  })
})

describe('a fault at the profile', () => {
  it.each<[EntraFault, number]>([
    [{ on: 'me', kind: 'html503' }, 503],
    [{ on: 'me', kind: 'status', status: 502 }, 502],
    [{ on: 'me', kind: 'redirect', location: 'http://localhost:9/elsewhere' }, 302],
    [{ on: 'me', kind: 'throttle' }, 429],
  ])('%o answers %d', async (one, status) => {
    const token = await application.token()
    fault(one)
    const response = await application.me(token)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(one.kind === 'throttle' ? '1' : null)
    expect(response.headers.get('location')).toBe(one.location ?? null)
    expect((await application.me(token)).status).toBe(200)
  })

  it('has the directory API’s shape when it has a code', async () => {
    fault(
      { on: 'me', kind: 'status', status: 403, error: 'Authorization_RequestDenied' },
      { on: 'me', kind: 'throttle' },
    )
    const denied = await application.me('any')
    expect(await denied.json()).toMatchObject({ error: { code: 'Authorization_RequestDenied' } })
    expect(await (await application.me('any')).json()).toMatchObject({ error: { code: 'TooManyRequests' } })
  })

  it('can cut, stall, drip, swell, reset or replace the answer', async () => {
    const token = await application.token()
    fault({ on: 'me', kind: 'json-cut' }, { on: 'me', kind: 'not-json' }, { on: 'me', kind: 'reset' })
    await expect((await application.me(token)).json()).rejects.toThrow(SyntaxError)
    expect((await application.me(token)).headers.get('content-type')).toMatch(/^text\/html/)
    await expect(application.me(token)).rejects.toThrow('fetch failed')
    fault(
      { on: 'me', kind: 'oversize' },
      { on: 'me', kind: 'drip', delayMs: 1 },
      { on: 'me', kind: 'stall', delayMs: 50 },
    )
    expect((await (await application.me(token)).text()).length).toBeGreaterThan(4 * 1024 * 1024)
    expect(await (await application.me(token)).json()).toMatchObject({ mail: 'alice@example.com' })
    expect((await application.me(token)).status).toBe(200)
  })
})

describe('a fault at the authorize endpoint', () => {
  it('wrong-iss is in the redirect to the application, where oauth4webapi refuses it', async () => {
    fault({ on: 'authorize', kind: 'wrong-iss' })
    const { url } = await application.signIn('alice@example.com')
    expect(url.searchParams.get('iss')).toMatch(/^https:\/\/login\.example\.net\//)
    expect(await refusedBy(application.exchange(url))).toBe('OAUTH_INVALID_RESPONSE')
    expect(await exchanged()).toBe('accepted')
  })

  it('status with a number sends the browser back with that error', async () => {
    fault({ on: 'authorize', kind: 'status', error: 'interaction_required', code: 53000 })
    expect(returnedFields(await application.signIn('alice@example.com'))).toMatchObject({
      error: 'interaction_required',
      error_description: expect.stringMatching(/^AADSTS53000: /),
      state: application.state,
    })
    fault({ on: 'authorize', kind: 'status', error: 'interaction_required', code: 53000 })
    const elsewhere = await application.signIn('alice', { redirect_uri: 'https://attacker.example/' })
    expect(elsewhere.text).toContain('AADSTS53000')
  })

  it.each<[EntraFault, number]>([
    [{ on: 'authorize', kind: 'html503' }, 503],
    [{ on: 'authorize', kind: 'status', status: 500 }, 500],
    [{ on: 'authorize', kind: 'status', status: 400, code: 50020 }, 400],
    [{ on: 'authorize', kind: 'throttle' }, 429],
  ])('%o is a page', async (one, status) => {
    fault(one)
    expect((await application.browser().go(await application.authorization())).response?.status).toBe(status)
  })

  it('can stall, drip, reset or redirect', async () => {
    fault(
      { on: 'authorize', kind: 'reset' },
      { on: 'authorize', kind: 'redirect', location: 'http://localhost:9/x' },
    )
    await expect(application.signIn('alice@example.com')).rejects.toThrow('fetch failed')
    expect((await application.signIn('alice@example.com')).url.href).toBe('http://localhost:9/x')
    fault({ on: 'authorize', kind: 'drip' }, { on: 'authorize', kind: 'stall', delayMs: 20 })
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
    fault({ on: 'me', kind: 'html503', times: 2 }, { on: 'me', kind: 'throttle' })
    expect(await statuses(4)).toEqual([503, 503, 429, 401])
    fault({ on: 'me', kind: 'html503', times: null })
    expect(await statuses(4)).toEqual([503, 503, 503, 503])
  })

  it('that cannot be are refused, and the others stay', async () => {
    fault({ on: 'me', kind: 'html503' })
    expect(() => fault({ on: 'me', kind: 'ignore-verifier' })).toThrow(
      'does not exist on "me", only on token',
    )
    expect(() => fault({ on: 'me', kind: 'status', status: 42 })).toThrow('status must be')
    expect(() => fault({ on: 'me', kind: 'reset', times: 0 })).toThrow('times must be')
    expect(() => fault({ on: 'me', kind: 'drip', delayMs: -1 })).toThrow('delayMs must be')
    expect((await application.me('x')).status).toBe(503)
  })
})
