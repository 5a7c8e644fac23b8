import { describe, expect, it } from 'vitest'
import { type ProviderResponse, TransportError } from '../../../src/sign-in/transport.ts'
import { jsonResponse, pairOf, providerOf, startInProcess } from '../support/in-process.ts'

type Answer = Partial<ProviderResponse> | TransportError

/** What the provider answers, in order; then as it should. */
interface Answers {
  readonly token?: readonly Answer[]
  readonly profile?: readonly Answer[]
}

const json = (status: number, fields: object): Answer => ({ status, text: JSON.stringify(fields) })
const page = (status: number): Answer => ({ status, contentType: 'text/html', text: '<html>' })
const token = (fields: object) =>
  json(200, { token_type: 'Bearer', access_token: 'token', scope: 'User.Read', ...fields })
const aadsts = (number: number, error: string, status = 400) =>
  json(status, { error, error_description: `AADSTS${number}: text` })
const lost = new TransportError('no-answer')
const tooLarge = new TransportError('too-large')
const busy = (status: number, retryAfter: string | null): Answer => ({ status, text: '', retryAfter })

/** Creates a handler with these secrets whose provider answers so, and returns how to sign in. */
function startWith({ token = [], profile = [] }: Answers, secrets = 'secret', accepted = secrets) {
  const left = { token: [...token], me: [...profile] }
  let calls: string[] = []
  const handler = startInProcess({ CLIENT_SECRET: secrets }, {}, async (url, request, limitMs) => {
    const name = url.endsWith('/token') ? 'token' : 'me'
    calls.push(name)
    const answer = left[name].shift()
    if (answer instanceof TransportError) throw answer
    const secret = request.body?.get('client_secret')
    if (secret && !accepted.split(',').includes(secret)) return jsonResponse(401, { error: 'invalid_client' })
    return { ...(await providerOf()(url, request, limitMs)), ...answer }
  })
  return async function signIn(callbackOf = (callback: string) => callback) {
    const { cookie, callback } = await handler.start()
    const before = handler.logged.length
    calls = []
    const response = await handler.call(callbackOf(callback), cookie)
    const { code = 'signed in' } = (await response.json()) as { readonly code?: string }
    const setCookies = response.headers.getSetCookie()
    expect(setCookies.join().includes('session=')).toBe(response.status === 200)
    // Another tab may have changed the cookie meanwhile.
    if (response.status >= 500) expect(setCookies).toEqual([])
    const warnings = handler.logged.slice(before).filter(({ event }) => event === 'settings')
    const retryAfter = response.headers.get('retry-after')
    return { code, status: response.status, calls, retryAfter, warnings }
  }
}

describe('a failing provider', () => {
  it.each([
    ['a gateway’s page with 503', page(503), 'provider-unavailable', 503],
    ['a firewall’s page with 401', page(401), 'provider-unavailable', 503],
    ['half a response', { text: '{"token_type":"Bea' }, 'provider-error', 502],
    ['a redirect', { status: 302, text: '' }, 'provider-error', 502],
    ['no answer', lost, 'provider-unavailable', 503],
    ['a response of megabytes', tooLarge, 'provider-error', 502],
    ['a page with 200', page(200), 'provider-error', 502],
    ['another scope', token({ scope: 'openid Mail.Read' }), 'provider-error', 502],
    ['a token with a line break', token({ access_token: 'a\nb' }), 'provider-error', 502],
    ['a token outside ASCII', token({ access_token: 'caf\u00e9' }), 'provider-error', 502],
    ['an ID token that is none', token({ id_token: 'a.b.c' }), 'provider-error', 502],
    ['a status that a body cannot have', busy(204, null), 'provider-error', 502],
    ['a status that none has', busy(999, null), 'provider-error', 502],
    ['status 500', busy(500, null), 'provider-error', 502],
    ['an expired secret', aadsts(7000222, 'invalid_client', 401), 'client-credential-rejected', 500],
  ] as const)('is not asked twice for a token after %s', async (_, answer, code, status) => {
    expect(await startWith({ token: [answer] })()).toMatchObject({ code, status, calls: ['token'] })
  })

  it.each([
    ['no scope listed', token({ scope: undefined })],
    ['more scopes than requested', token({ scope: 'Directory.Read.All https://graph/user.read email' })],
  ])('can return a token with %s', async (_, answer) => {
    expect(await startWith({ token: [answer] })()).toMatchObject({ status: 200, calls: ['token', 'me'] })
  })

  it.each([
    ['a page with 200', page(200)],
    ['half a response', { text: '{"id":' }],
    ['a response of megabytes', tooLarge],
    ['401', json(401, { error: { code: 'InvalidAuthenticationToken' } })],
    ['no object', json(200, [])],
    ['no id', json(200, { mail: null, userPrincipalName: 'ada@example.com' })],
    ['a name that is none', json(200, { id: 'D1', mail: 7, userPrincipalName: 'ada@example.com' })],
  ])('is not asked twice for a profile after %s', async (_, answer) => {
    expect(await startWith({ profile: [answer] })()).toMatchObject({
      code: 'provider-error',
      status: 502,
      calls: ['token', 'me'],
    })
  })

  it('is asked for the profile once more if Graph is busy or the connection is lost, within the timeout', async () => {
    const again = { calls: ['token', 'me', 'me'] }
    for (const answer of [busy(429, '0'), page(503), page(504), lost])
      expect(await startWith({ profile: [answer] })()).toMatchObject({ status: 200, ...again })
    expect(await startWith({ profile: [busy(429, '0'), busy(429, '7')] })()).toMatchObject({
      code: 'provider-unavailable',
      retryAfter: '7',
      ...again,
    })
    for (const answer of [page(504), lost])
      expect(await startWith({ profile: [answer, answer] })()).toMatchObject({
        code: 'provider-unavailable',
        ...again,
      })
    expect(await startWith({ profile: [busy(429, '20')] })()).toMatchObject({ calls: ['token', 'me'] })
  })

  it('says when to retry, as it was told or after ten seconds', async () => {
    expect(await startWith({ token: [busy(429, '17')] })()).toMatchObject({ status: 503, retryAfter: '17' })
    expect(await startWith({ token: [page(503)] })()).toMatchObject({ retryAfter: '10' })
  })

  it('is asked once for a token after other failures, although there is another secret', async () => {
    for (const answer of [page(503), aadsts(70008, 'invalid_grant'), aadsts(7000215, 'invalid_client')])
      expect((await startWith({ token: [answer] }, 'newer,current')()).calls).toEqual(['token'])
  })

  it('gets the other secret after 401 invalid_client, and first the one that worked last', async () => {
    const signIn = startWith({}, 'newer,current', 'current')
    const message = expect.stringMatching(
      /^Entra rejects secret 1 of CLIENT_SECRET, and takes secret 2 of CLIENT_SECRET\./,
    )
    expect(await signIn()).toMatchObject({
      status: 200,
      calls: ['token', 'token', 'me'],
      warnings: [{ level: 'warning', message }],
    })
    expect(await signIn()).toMatchObject({ status: 200, calls: ['token', 'me'], warnings: [] })
    expect(await startWith({}, 'newer,current', 'another')()).toMatchObject({
      code: 'client-credential-rejected',
      calls: ['token', 'token'],
      warnings: [],
    })
  })

  // `provider-errors.test.ts` has all of Entra's errors and numbers.
  it.each([
    // RFC 9700 4.4, mix-up.
    ['code=code&iss=https://login.example.com', 'provider-error', 502],
    ['error=access_denied', 'sign-in-refused', 403],
    ['error=server_error&error_description=AADSTS65001: text', 'consent-required', 403],
  ] as const)('is asked for nothing after the callback %s', async (query, code, status) => {
    const signIn = startWith({})
    const result = await signIn(callback => callback.replace('code=code', query))
    expect(result).toMatchObject({ code, status, calls: [] })
  })

  const id = 'f1f2f3f4-0000-4000-8000-000000000000'
  const world = 'https://login.microsoftonline.com'
  it.each([
    [{ TENANT_ID: 'Example.com' }, `${world}/${id}/v2.0`, 200],
    [{ TENANT_ID: id.toUpperCase() }, `${world}/${id}/v2.0`, 200],
    [
      { TENANT_ID: id, INSTANCE: 'https://login.chinacloudapi.cn' },
      `https://login.partner.microsoftonline.cn/${id}/v2.0`,
      200,
    ],
    [{ TENANT_ID: id }, `${world}/e${id.slice(1)}/v2.0`, 502],
  ])('with %j, the issuer %s is %i', async (env, issuer, status) => {
    const handler = startInProcess(env)
    const { cookie, callback } = await handler.start()
    const response = await handler.call(`${callback}&iss=${encodeURIComponent(issuer)}`, cookie)
    expect(response.status).toBe(status)
  })

  it.each([
    ['a tab', 1, true],
    ['two tabs, since the code can belong to the other', 2, undefined],
  ])(
    'suspects an attack if a code without a state is not this browser’s, in %s',
    async (_, tabs, security) => {
      const refused = { error: 'invalid_grant', error_description: 'AADSTS501481: text' }
      const app = startInProcess({}, {}, async () => jsonResponse(400, refused))
      let cookie = ''
      for (let tab = 0; tab < tabs; tab += 1)
        cookie = pairOf((await app.call('/api/auth/login-url', cookie)).headers.getSetCookie()[0])
      const answer = await app.call('/api/auth/callback?code=code', cookie)
      expect(await answer.json()).toMatchObject({ code: 'sign-in-expired' })
      expect(app.logged.at(-1)?.security).toBe(security)
    },
  )

  it.each(['token', 'me'])(
    'has one limit for both requests, and ends with a late answer of %s',
    async late => {
      const limits: number[] = []
      const handler = startInProcess({}, {}, async (url, request, limitMs) => {
        limits.push(limitMs)
        handler.now += 12_000
        if (url.endsWith(late)) throw new TransportError('timeout')
        return providerOf()(url, request, limitMs)
      })
      const { answer } = await handler.signIn()
      expect([answer.status, await answer.json()]).toMatchObject([504, { code: 'provider-timeout' }])
      expect(limits).toEqual(late === 'token' ? [20_000] : [20_000, 8_000])
    },
  )
})
