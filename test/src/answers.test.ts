import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logLine } from './support/log-line.ts'
import { returning } from './support/returning.ts'
import { runtimes, type Stage, startStage } from './support/stage.ts'

describe.each(runtimes)('responses and log lines on %s', runtime => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(runtime, {
      variants: { https: { REDIRECT_URI: 'https://people.example.com/auth/callback' } },
    })
  })
  afterAll(() => stage?.close())

  it('ASVS 5.0 3.4.1: sends HSTS if browsers reach the handler by https, and not otherwise', async () => {
    for (const path of ['/', '/api/session', '/healthz', '/nowhere']) {
      const secure = await stage.visitor('https').call(path)
      expect(secure.headers.get('strict-transport-security'), path).toBe('max-age=31536000')
      expect((await stage.visitor().call(path)).headers.has('strict-transport-security'), path).toBe(false)
    }
  })

  describe('ASVS 5.0 16.2.1, 16.3.3: a log line', () => {
    const lineOf = ({ headers }: { readonly headers: Headers }) => logLine(stage, headers)
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

    it('names the employee who signed in or was refused by id, and says nothing else about them', async () => {
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

    it('marks a foreign state, a wrong verifier and a cross-site request', async () => {
      const { returned } = await returning(stage)
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

    it('neither marks what browsers do by themselves, nor warns of it', async () => {
      const { visitor, returned } = await returning(stage)
      stage.entra.expireCodes()
      const number = { providerError: 'invalid_grant', providerNumber: 70008 }
      const quiet = { level: 'info' }
      expect(await lineOf(await visitor.callback(returned))).toStrictEqual(
        line(401, { code: 'sign-in-expired', ...number, ...quiet }),
      )
      expect(await lineOf(await stage.visitor().callback({ code: 'x' }))).toStrictEqual(
        line(400, { code: 'transaction-missing', ...quiet }),
      )
      const route = '/api/session'
      const checked = await stage.visitor().call(route)
      expect(await lineOf(checked)).toStrictEqual(line(401, { route, code: 'signed-out', ...quiet }))
      const refused = await stage.visitor().call(route, { 'sec-purpose': 'prefetch;prerender' })
      expect(await lineOf(refused)).toStrictEqual(line(403, { route, code: 'cross-site', ...quiet }))
    })
  })

  it('ASVS 5.0 3.4.1, 3.4.4, 3.4.5: every response has the security headers, every problem a correlation ID', async () => {
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

  it('ASVS 5.0 3.4.3, 3.4.6: a page can run only its own script and call only its own origin', async () => {
    const visitor = stage.visitor()
    for (const path of ['/', '/dashboard', new URL(stage.redirectUri).pathname, '/nowhere']) {
      const { headers, text, status } = await visitor.call(path, { accept: 'text/html' })
      expect(status).toBe(path === '/nowhere' ? 404 : 200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      function hashOf(element: 'script' | 'style') {
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

  // workerd refuses these requests before a Worker sees them.
  if (runtime === 'node')
    it('answers an unreadable request with every security header', async () => {
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

  it('describes every route of the API in its OpenAPI document', async () => {
    const { body } = await stage.visitor().call('/openapi.json')
    const described = body as { paths: Record<string, Record<string, { responses: Record<string, object> }>> }
    expect(Object.keys(described.paths).sort()).toEqual(
      [
        '/api/auth/login-url',
        '/api/auth/callback',
        '/api/session',
        '/api/auth/session',
        '/api/auth/forward',
        '/api/auth/logout',
        '/api/auth/logout-all',
        '/healthz',
        '/openapi.json',
        '/.well-known/jwks.json',
      ].sort(),
    )
    const statuses = (path: string, method = 'get') =>
      Object.keys(described.paths[path]?.[method]?.responses ?? {}).sort()
    expect(statuses('/healthz')).toEqual(['200', '503', 'default'])
    expect(statuses('/api/auth/forward')).toEqual(['204', '302', '303', 'default'])
    expect(statuses('/api/auth/logout', 'post')).toEqual(['200', '204', 'default'])
    expect(statuses('/api/auth/logout-all', 'post')).toEqual(['204', 'default'])
    expect(body).toMatchObject({
      paths: {
        '/api/auth/callback': {
          get: {
            parameters: ['code', 'state', 'iss', 'error', 'error_description'].map(name => ({ name })),
          },
        },
      },
      components: { schemas: { Problem: { properties: { declined: { type: 'boolean' } } } } },
    })
  })
})
