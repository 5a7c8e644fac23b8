import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSealer } from '../../src/seal.ts'
import { parseKeys } from '../../src/session-keys.ts'
import { openTransactions, sealTransactions, type Transaction } from '../../src/transaction.ts'
import { runtimes, type Stage, startStage } from './support/stage.ts'
import type { Visitor } from './support/visitor.ts'

describe.each(runtimes)('attacks on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      variants: {
        strict: { REQUIRE_STATE: 'true' },
        https: { REDIRECT_URI: 'https://people.example.com/auth/callback' },
      },
    })
  })
  afterAll(() => stage?.close())
  beforeEach(() => {
    stage.entra.setFaults([])
    stage.entra.clearRequests()
  })

  const tokenRequests = () => stage.entra.requests.filter(({ path }) => path.endsWith('/token')).length
  const expectNoSession = async (visitor: Visitor) => {
    expect(visitor.cookie('session')).toBeUndefined()
    expect((await visitor.session()).status).toBe(401)
  }
  const context = () => {
    const { instance, tenantId, clientId } = stage.entra.description
    return [instance.replace(/\/$/, ''), tenantId, clientId, stage.redirectUri].join(' ')
  }
  const sealer = () => createSealer(parseKeys(stage.sessionKeys).keys)
  /** What the attacker cannot do: change what is inside the transaction cookie. */
  const rewrite = async (visitor: Visitor, change: (transaction: Transaction) => Transaction) => {
    const pending = await openTransactions(sealer(), context(), visitor.cookie('transaction') ?? null)
    expect(pending.length).toBeGreaterThan(0)
    const cookie = await sealTransactions(sealer(), context(), pending.map(change))
    visitor.setCookie('transaction', /=([^;]+)/.exec(cookie)?.[1])
  }

  it('RFC 9700 4.7, ASVS 5.0 10.1.2: a code without a sign-in of this browser goes nowhere', async () => {
    const { account } = await stage.hire()
    const attacker = stage.visitor()
    const returned = await attacker.visitProvider(await attacker.start(), account)
    const victim = stage.visitor()
    const answer = await victim.callback(returned)
    expect(answer.body).toMatchObject({ code: 'transaction-missing', status: 400 })
    expect(tokenRequests()).toBe(0)
    await expectNoSession(victim)
  })

  it('RFC 9700 4.5, ASVS 5.0 10.2.1: a code injected into another browser’s sign-in is refused by its verifier', async () => {
    const { account } = await stage.hire()
    const attacker = stage.visitor()
    const returned = await attacker.visitProvider(await attacker.start(), account)
    const victim = stage.visitor()
    await victim.start()
    const answer = await victim.callback({ code: returned.get('code') ?? '' })
    expect(answer.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    await expectNoSession(victim)
    await expect.poll(() => stage.output()).toMatch(/"providerNumber":501481,"security":true/)
  })

  it('RFC 9700 4.7: the attacker’s state beside the attacker’s code is not this browser’s', async () => {
    const { account } = await stage.hire()
    const attacker = stage.visitor()
    const returned = await attacker.visitProvider(await attacker.start(), account)
    const victim = stage.visitor()
    await victim.start()
    expect((await victim.callback(returned)).body).toMatchObject({ code: 'state-mismatch', status: 400 })
    expect(tokenRequests()).toBe(0)
    await expectNoSession(victim)
  })

  it('what REQUIRE_STATE adds: a provider that ignores verifiers lets a bare code in, and state keeps it out', async () => {
    const { account, userName } = await stage.hire()
    const inject = async (variant: string) => {
      const attacker = stage.visitor(variant)
      const returned = await attacker.visitProvider(await attacker.start(), account)
      const victim = stage.visitor(variant)
      await victim.start()
      stage.entra.setFaults([{ on: 'token', kind: 'ignore-verifier', times: null }])
      return victim.callback({ code: returned.get('code') ?? '' })
    }
    expect((await inject('main')).body).toMatchObject({ user: { username: userName } })
    expect((await inject('strict')).body).toMatchObject({ code: 'state-required', status: 400 })
  })

  it('RFC 9700 2.1.1: a swapped verifier does not redeem the code', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    await rewrite(visitor, transaction => ({ ...transaction, verifier: 'A'.repeat(43) }))
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'sign-in-expired' })
    await expectNoSession(visitor)
  })

  it('an expired transaction is over, and nothing is redeemed', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    await rewrite(visitor, transaction => ({ ...transaction, expiresAt: Date.now() - 1 }))
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    expect(tokenRequests()).toBe(0)
    await expectNoSession(visitor)
  })

  it('RFC 6749 4.1.2: a replayed callback gives no second session', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    const thief = stage.visitor('strict')
    thief.setCookie('transaction', visitor.cookie('transaction'))
    expect((await visitor.callback(returned)).status).toBe(200)
    expect((await thief.callback(returned)).body).toMatchObject({ code: 'sign-in-expired' })
    await expectNoSession(thief)
    const later = stage.visitor()
    expect((await later.callback(returned)).body).toMatchObject({ code: 'transaction-missing' })
  })

  it('RFC 9700 4.5: a code that was just redeemed gives another browser with a sign-in of its own nothing', async () => {
    const { account, userName } = await stage.hire()
    const [victim, thief, racer] = [stage.visitor(), stage.visitor(), stage.visitor()]
    const returned = await victim.visitProvider(await victim.start(), account)
    const code = returned.get('code') ?? ''
    const state = (await thief.start()).searchParams.get('state') ?? ''
    await racer.start()
    stage.entra.setFaults([{ on: 'token', kind: 'stall', delayMs: 300 }])
    const redeeming = victim.callback(returned)
    await expect.poll(tokenRequests, { interval: 10, timeout: 5000 }).toBe(1)
    const raced = await racer.callback({ code })
    expect((await redeeming).body).toMatchObject({ user: { username: userName } })
    expect(raced.body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    for (const parameters of [{ code }, { code, state }])
      expect((await thief.callback(parameters)).body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    for (const visitor of [racer, thief]) await expectNoSession(visitor)
  })

  it('a sign-in may take ten minutes, and its cookie is kept longer, so that a late return is told so', async () => {
    const visitor = stage.visitor()
    const before = Date.now()
    const { headers } = await visitor.call('/api/auth/login-url')
    const after = Date.now()
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-homeport-transaction=[^;]+; Path=\/; Max-Age=3600; /),
    ])
    const [transaction, ...others] = await openTransactions(
      sealer(),
      context(),
      visitor.cookie('transaction') ?? null,
    )
    expect(others).toEqual([])
    expect(transaction?.expiresAt).toBeGreaterThanOrEqual(before + 600_000)
    expect(transaction?.expiresAt).toBeLessThanOrEqual(after + 600_000)
  })

  it('a late code is over', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    stage.entra.expireCodes()
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'sign-in-expired', status: 401 })
    await expectNoSession(visitor)
  })

  it('a tampered cookie is none', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    const cookie = visitor.cookie('transaction') ?? ''
    const flipped = `${cookie.slice(0, 30)}${cookie[30] === 'A' ? 'B' : 'A'}${cookie.slice(31)}`
    visitor.setCookie('transaction', flipped)
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'transaction-missing' })
  })

  it('ASVS 5.0 7.2.4: a session planted before sign-in is not the one that comes out of it', async () => {
    const [mallory, victim] = [await stage.hire(), await stage.hire()]
    const attacker = stage.visitor()
    await attacker.signIn(mallory.account)
    const browser = stage.visitor()
    browser.setCookie('session', attacker.cookie('session'))
    const answer = await browser.signIn(victim.account)
    expect(answer.body).toMatchObject({ user: { username: victim.userName } })
    expect(browser.cookie('session')).not.toBe(attacker.cookie('session'))
    expect((await attacker.session()).status).toBe(401)
  })

  it('RFC 9700 4.11, ASVS 5.0 3.7.2: no parameter and no header changes where the provider sends the browser', async () => {
    const visitor = stage.visitor()
    const headers = {
      host: 'evil.test',
      forwarded: 'host=evil.test;proto=https',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-proto': 'https',
      origin: 'https://evil.test',
      referer: 'https://evil.test/',
    }
    const query =
      '?redirect_uri=https://evil.test/&redirectUri=https://evil.test/&scope=Directory.Read.All&tenant=common'
    const answer = await visitor.call(`/api/auth/login-url${query}`, headers)
    const url = new URL(String(answer.body['url']))
    expect(url.searchParams.get('redirect_uri')).toBe(stage.redirectUri)
    expect(url.searchParams.get('scope')).toBe('User.Read')
    expect(answer.text).not.toContain('evil')
  })

  it('ASVS 5.0 3.5.3: requests of other sites and prefetches are refused, and redeem nothing', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
    ]) {
      expect((await visitor.callback(returned, headers)).body).toMatchObject({
        code: 'cross-site',
        status: 403,
      })
      expect((await visitor.call('/api/auth/login-url', headers)).status).toBe(403)
      expect((await visitor.call('/api/session', headers)).status).toBe(403)
    }
    expect(tokenRequests()).toBe(0)
    const head = await visitor.request(`/api/auth/callback?${returned}`, { method: 'HEAD' })
    expect(head.status).toBe(404)
    expect(tokenRequests()).toBe(0)
    expect((await visitor.callback(returned, { 'sec-fetch-site': 'none' })).status).toBe(200)
  })

  it('ASVS 5.0 3.5.3: no page is fetched ahead of a visit, and every page is open to a link', async () => {
    const visitor = stage.visitor()
    for (const path of ['/', '/dashboard', new URL(stage.redirectUri).pathname]) {
      for (const headers of [
        { 'sec-purpose': 'prefetch' },
        { 'sec-purpose': 'prefetch;prerender' },
        { purpose: 'prefetch' },
      ]) {
        const answer = await visitor.request(path, { headers: { 'sec-fetch-site': 'none', ...headers } })
        expect(answer.body, `${path} ${JSON.stringify(headers)}`).toMatchObject({
          code: 'cross-site',
          status: 403,
        })
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
      for (const site of ['cross-site', 'none']) {
        const { status } = await visitor.request(path, { headers: { 'sec-fetch-site': site } })
        expect(status, `${path} ${site}`).toBe(200)
      }
    }
  })

  it('ASVS 5.0 3.5.1: only a page of this origin can sign somebody out', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    await visitor.signIn(account)
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.test' },
      { origin: 'null' },
      {},
    ]) {
      expect((await visitor.logout(headers)).body).toMatchObject({ code: 'cross-site', status: 403 })
    }
    expect((await visitor.call('/api/auth/logout')).body).toMatchObject({ code: 'not-found' })
    expect((await visitor.session()).status).toBe(200)
    expect((await visitor.logout({ origin: stage.origin })).status).toBe(204)
  })

  it('ASVS 5.0 3.4.2: no other origin may read an answer', async () => {
    const answer = await stage.visitor().call('/api/session', { origin: 'https://evil.test' })
    for (const name of ['access-control-allow-origin', 'access-control-allow-credentials']) {
      expect(answer.headers.has(name)).toBe(false)
    }
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it('RFC 9700 4.2, ASVS 5.0 10.1.1: no token, code or secret reaches the browser', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const url = await visitor.start()
    const returned = await visitor.visitProvider(url, account)
    const answer = await visitor.callback(returned)
    const seen = `${answer.text}${JSON.stringify([...answer.headers])}${url.href}`
    expect(seen).not.toContain(returned.get('code'))
    expect(seen).not.toContain(encodeURIComponent(stage.entra.description.clientSecret))
    expect(answer.text).not.toMatch(/token|eyJ/i)
  })

  it('parameters given twice mean two things, and are refused', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    for (const [name, code] of [
      ['code', 'code-missing'],
      ['state', 'state-mismatch'],
      ['iss', 'code-missing'],
    ] as const) {
      const twice = new URLSearchParams(returned)
      twice.append(name, 'x')
      twice.append(name, 'y')
      expect((await visitor.callback(twice)).body).toMatchObject({ code, status: 400 })
    }
    expect((await visitor.callback({})).body).toMatchObject({ code: 'code-missing', status: 400 })
    expect(tokenRequests()).toBe(0)
  })

  it('a transaction of other settings does not open', async () => {
    const { account } = await stage.hire()
    const visitor = stage.visitor()
    const returned = await visitor.visitProvider(await visitor.start(), account)
    const pending = await openTransactions(sealer(), context(), visitor.cookie('transaction') ?? null)
    const cookie = await sealTransactions(sealer(), `${context()} elsewhere`, pending)
    visitor.setCookie('transaction', /=([^;]+)/.exec(cookie)?.[1])
    expect((await visitor.callback(returned)).body).toMatchObject({ code: 'transaction-missing' })
  })

  it('ASVS 5.0 3.4.1: https is for good where the handler is reached by it, and not asked for elsewhere', async () => {
    for (const path of ['/', '/api/session', '/healthz', '/nowhere']) {
      const secure = await stage.visitor('https').call(path)
      const [, seconds] = /^max-age=(\d+)/.exec(secure.headers.get('strict-transport-security') ?? '') ?? []
      expect(Number(seconds), path).toBeGreaterThanOrEqual(31_536_000)
      expect((await stage.visitor().call(path)).headers.has('strict-transport-security'), path).toBe(false)
    }
  })

  describe('ASVS 5.0 16.2.1, 16.3.3: the log', () => {
    /** The line of an answer. */
    const lineOf = async ({ headers }: { readonly headers: Headers }) => {
      const id = headers.get('x-correlation-id') ?? 'none'
      const find = () =>
        stage
          .output()
          .split('\n')
          .find(line => line.includes(id))
      await expect.poll(find, { timeout: 5000 }).toBeDefined()
      const line = find() ?? ''
      return JSON.parse(line.slice(line.indexOf('{'))) as unknown
    }
    const line = (status: number, rest: object) => ({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: status >= 400 ? 'warning' : 'info',
      event: 'request',
      correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'GET',
      route: '/api/auth/callback',
      status,
      durationMs: expect.any(Number),
      ...rest,
    })

    it('names who signed in, and who was refused for what they are, and holds nothing else', async () => {
      const { account, employeeId } = await stage.hire()
      const visitor = stage.visitor()
      expect(await lineOf(await visitor.signIn(account))).toStrictEqual(line(200, { employeeId }))
      for (const path of ['/api/session', '/api/auth/forward']) {
        const answer = await visitor.call(path)
        const { status } = answer
        expect(await lineOf(answer)).toStrictEqual({ ...line(status, { employeeId }), route: path })
      }
      const inactive = await stage.hire({ employee: { active: false } })
      expect(await lineOf(await stage.visitor().signIn(inactive.account))).toStrictEqual(
        line(401, { code: 'inactive', employeeId: inactive.employeeId }),
      )
      const stranger = await stage.hire({ employee: null })
      expect(await lineOf(await stage.visitor().signIn(stranger.account))).toStrictEqual(
        line(401, { code: 'not-in-system' }),
      )
      expect(await lineOf(await visitor.logout())).toStrictEqual({
        ...line(204, { employeeId }),
        method: 'POST',
        route: '/api/auth/logout',
      })
    })

    it('marks an account that takes another’s name', async () => {
      const owner = await stage.hire()
      expect((await stage.visitor().signIn(owner.account)).status).toBe(200)
      const other = await stage.hire({ employee: null, user: { mail: `${owner.userName}@example.com` } })
      expect(await lineOf(await stage.visitor().signIn(other.account))).toStrictEqual(
        line(401, { code: 'identity-changed', employeeId: owner.employeeId, security: true }),
      )
    })

    it('marks an answer of another sign-in, a verifier that does not fit, and a request of another site', async () => {
      const { account } = await stage.hire()
      const attacker = stage.visitor()
      const returned = await attacker.visitProvider(await attacker.start(), account)
      const victim = stage.visitor()
      await victim.start()
      expect(await lineOf(await victim.callback(returned))).toStrictEqual(
        line(400, { code: 'state-mismatch', security: true }),
      )
      const injected = await victim.callback({ code: returned.get('code') ?? '' })
      expect(await lineOf(injected)).toStrictEqual(
        line(401, {
          code: 'sign-in-expired',
          providerError: 'invalid_grant',
          providerNumber: 501481,
          security: true,
        }),
      )
      const foreign = await victim.callback(returned, { 'sec-fetch-site': 'cross-site' })
      expect(await lineOf(foreign)).toStrictEqual(line(403, { code: 'cross-site', security: true }))
    })

    it('does not mark what happens to anybody', async () => {
      const { account } = await stage.hire()
      const visitor = stage.visitor()
      const returned = await visitor.visitProvider(await visitor.start(), account)
      stage.entra.expireCodes()
      const number = { providerError: 'invalid_grant', providerNumber: 70008 }
      expect(await lineOf(await visitor.callback(returned))).toStrictEqual(
        line(401, { code: 'sign-in-expired', ...number }),
      )
      expect(await lineOf(await stage.visitor().callback({ code: 'x' }))).toStrictEqual(
        line(400, { code: 'transaction-missing' }),
      )
    })
  })

  it('ASVS 5.0 3.4.1, 3.4.4, 3.4.5: every answer carries the headers, every failure a correlation id', async () => {
    const visitor = stage.visitor()
    for (const path of [
      '/',
      '/dashboard',
      new URL(stage.redirectUri).pathname,
      '/api/auth/login-url',
      '/api/auth/callback',
      '/api/session',
      '/api/auth/forward',
      '/healthz',
      '/openapi.json',
      '/favicon.ico',
      '/api/auth/callback/',
      '/..%2f..%2fetc/passwd',
    ]) {
      const { headers, body, status } = await visitor.call(path)
      expect(headers.get('cache-control'), path).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('vary')).toBe('Cookie')
      if (!headers.get('content-type')?.startsWith('text/html')) {
        expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
      }
      expect(headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
      if (status >= 400) expect(body['correlationId']).toBe(headers.get('x-correlation-id'))
    }
  })

  it('ASVS 5.0 3.4.3, 3.4.6: a page may run its own script, ask its own origin, and nothing else', async () => {
    const visitor = stage.visitor()
    for (const path of ['/', '/dashboard', new URL(stage.redirectUri).pathname, '/nowhere']) {
      const { headers, text, status } = await visitor.call(path, { accept: 'text/html' })
      expect(status).toBe(path === '/nowhere' ? 404 : 200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      const hashOf = (element: 'script' | 'style') => {
        const [, content, ...others] = text.split(new RegExp(`<${element}>|</${element}>`))
        expect(others).toHaveLength(1)
        return `'sha256-${createHash('sha256')
          .update(content ?? '')
          .digest('base64')}'`
      }
      expect(headers.get('content-security-policy')?.split('; '), path).toEqual([
        "default-src 'none'",
        `script-src ${hashOf('script')}`,
        `style-src ${hashOf('style')}`,
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ])
      expect(text).toMatch(/^<!doctype html>\n<html lang="en">\n/)
      expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
      expect(text).toMatch(/<style>\s*:root \{ color-scheme: light dark;/)
    }
  })

  // workerd refuses these before a Worker sees them.
  if (runtime === 'node')
    it('answers with every header what cannot even be read', async () => {
      for (const first of [
        'GET / HTTP/1.1\r\nHost: a b',
        'GET / HTTP/1.1\r\nHost: x/y',
        'OPTIONS * HTTP/1.1\r\nHost: x',
      ]) {
        const socket = connect(Number(new URL(stage.origin).port), '127.0.0.1')
        let text = ''
        socket.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        socket.write(`${first}\r\nConnection: close\r\n\r\n`)
        await once(socket, 'close')
        expect(text, first).toMatch(/^HTTP\/1\.1 404 /)
        expect(text).toMatch(/\r\nx-correlation-id: [0-9a-f-]{36}\r\n/)
        expect(text).toMatch(/\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n/)
        expect(text).toContain('"code":"not-found"')
      }
    })

  it('describes every answer of its interface, those of health and of the description included', async () => {
    const { body } = await stage.visitor().call('/openapi.json')
    const described = body as { paths: Record<string, Record<string, { responses: Record<string, object> }>> }
    expect(Object.keys(described.paths).sort()).toEqual(
      [
        '/api/auth/login-url',
        '/api/auth/callback',
        '/api/session',
        '/api/auth/forward',
        '/api/auth/logout',
        '/healthz',
        '/openapi.json',
      ].sort(),
    )
    const statuses = (path: string, method = 'get') =>
      Object.keys(described.paths[path]?.[method]?.responses ?? {}).sort()
    expect(statuses('/healthz')).toEqual(['200', '503', 'default'])
    expect(statuses('/api/auth/forward')).toEqual(['204', 'default'])
    expect(statuses('/api/auth/logout', 'post')).toEqual(['204', 'default'])
  })
})
