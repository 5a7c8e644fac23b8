import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { problemReply } from '../../src/http/problem.ts'
import { routes } from '../../src/routes.ts'
import { candidate, jsonResponse, startInProcess } from './support/in-process.ts'

const paths = ['/', '/dashboard', '/auth/callback', '/nowhere']

it('ASVS 5.0 3.4.1: sends HSTS if browsers reach the handler by https, and not otherwise', async () => {
  const [secure, local] = [
    startInProcess(),
    startInProcess({ REDIRECT_URI: 'http://localhost:8080/auth/callback' }),
  ]
  for (const path of [...paths, '/api/session', '/healthz']) {
    const { headers } = await secure.call(path)
    expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000')
    expect((await local.call(path)).headers.has('strict-transport-security'), path).toBe(false)
  }
})

describe('ASVS 5.0 16.2.1, 16.3.3: a log line', () => {
  const route = routes.callback
  const line = (status: number, rest: object) => ({
    level: status >= 400 ? 'warning' : 'info',
    event: 'request',
    correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    method: 'GET',
    route,
    status,
    durationMs: expect.any(Number),
    ...rest,
  })

  it('names the employee who signed in or was refused by id, and says nothing else about them', async () => {
    const app = startInProcess()
    const { session } = await app.signIn()
    expect(app.logged.at(-1)).toEqual(line(200, { employeeId: 'E1' }))
    for (const route of [routes.session, routes.forward]) {
      const { status } = await app.call(route, session)
      expect(app.logged.at(-1)).toEqual(line(status, { route, employeeId: 'E1' }))
    }
    await app.send(routes.logout, session)
    const out = { method: 'POST', route: routes.logout, employeeId: 'E1' }
    expect(app.logged.at(-1)).toEqual(line(204, out))
    for (const [candidates, rest] of [
      [[{ ...candidate, isActive: false }], { code: 'inactive', employeeId: 'E1' }],
      [[], { code: 'not-in-system' }],
    ] as const) {
      const refusing = startInProcess({}, { findByName: async () => candidates })
      await refusing.signIn()
      expect(refusing.logged.at(-1)).toEqual(line(401, rest))
    }
  })

  it('marks a foreign state and a cross-site request, but not what browsers do by themselves', async () => {
    const app = startInProcess()
    const { cookie, callback } = await app.start()
    const marked = { security: true }
    const quiet = { level: 'info' }
    const session = routes.session
    const linked = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    for (const [path, headers, status, rest] of [
      [`${route}?code=code&state=other`, {}, 400, { code: 'state-mismatch', ...marked }],
      [callback, { 'sec-fetch-site': 'cross-site' }, 403, { code: 'cross-site', ...marked }],
      [`${route}?code=x`, { cookie: '' }, 400, { code: 'transaction-missing', ...quiet }],
      [session, {}, 401, { route: session, code: 'signed-out', ...quiet }],
      [session, { 'sec-purpose': 'prefetch' }, 403, { route: session, code: 'cross-site', ...quiet }],
      // A link on a page of another site, to the API and to a page.
      [session, linked, 403, { route: session, code: 'cross-site', ...quiet }],
      ['/', linked, 200, { route: '/' }],
      ['/', { ...linked, 'sec-purpose': 'prefetch' }, 403, { route: '/', code: 'cross-site', ...quiet }],
    ] as const) {
      await app.call(path, cookie, { headers })
      expect(app.logged.at(-1), path).toEqual(line(status, rest))
    }
    await app.call(routes.logout, '', { method: 'POST', headers: { ...linked, origin: 'https://evil.test' } })
    const logout = { method: 'POST', route: routes.logout, code: 'cross-site', ...marked }
    expect(app.logged.at(-1)).toEqual(line(403, logout))
  })

  it('has the provider’s error, which is no warning for a code that is no longer valid', async () => {
    const refused = jsonResponse(400, { error: 'invalid_grant', error_description: 'AADSTS70008: x' })
    const app = startInProcess({}, {}, async () => refused)
    await app.signIn()
    const provider = { providerError: 'invalid_grant', providerNumber: 70008 }
    expect(app.logged.at(-1)).toEqual(line(401, { code: 'sign-in-expired', level: 'info', ...provider }))
  })
})

it('ASVS 5.0 3.4.1, 3.4.2, 3.4.4, 3.4.5: every response has the security headers, every problem a correlation ID', async () => {
  const app = startInProcess()
  const others = ['/favicon.ico', '/api/auth/callback/', '/..%2f..%2fetc/passwd']
  for (const path of [...paths, ...Object.values(routes), ...others]) {
    const answer = await app.call(path, '', { headers: { origin: 'https://evil.test' } })
    const type = answer.headers.get('content-type') ?? ''
    expect(Object.fromEntries(answer.headers), path).toMatchObject({
      'cache-control': path === routes.publicKeys ? 'max-age=300' : 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Cookie',
      'x-correlation-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...(!type.startsWith('text/html') && {
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      }),
    })
    expect([...answer.headers.keys()].join(), path).not.toContain('access-control')
    const id = answer.headers.get('x-correlation-id')
    if (answer.status >= 400) expect(await answer.json(), path).toMatchObject({ correlationId: id })
  }
})

it('serves the page of the callback at its path, to GET alone', async () => {
  const app = startInProcess()
  const statusOf = async (path: string, method: string) => (await app.call(path, '', { method })).status
  expect(await statusOf('/auth/callback', 'GET')).toBe(200)
  expect(await statusOf('/auth/callback', 'POST')).toBe(404)
  expect(await statusOf('/auth/callback/', 'GET')).toBe(404)
})

it.each(['guest-not-allowed', 'domain-not-allowed'] as const)('answers 401 for %s', code => {
  expect(problemReply({ code }, 'id').status).toBe(401)
})

it('ASVS 5.0 3.4.3, 3.4.6: a page can run only its own script and call only its own origin', async () => {
  const app = startInProcess()
  for (const path of paths) {
    const answer = await app.call(path, '', { headers: { accept: 'text/html' } })
    const text = await answer.text()
    expect(answer.status).toBe(path === '/nowhere' ? 404 : 200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    function hashOf(element: 'script' | 'style') {
      const [, content, ...others] = text.split(new RegExp(`<${element}>|</${element}>`))
      expect(others).toHaveLength(1)
      return `'sha256-${hash('sha256', content ?? '', 'base64')}'`
    }
    expect(answer.headers.get('content-security-policy')?.split('; '), path).toEqual([
      "default-src 'none'",
      `script-src ${hashOf('script')}`,
      `style-src ${hashOf('style')}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  }
})

it('describes every route of the API in its OpenAPI document', async () => {
  const answer = await startInProcess().call(routes.openapi)
  const { paths } = (await answer.json()) as { readonly paths: Readonly<Record<string, object>> }
  const { signIn: _, dashboard: __, ...api } = routes
  expect(Object.keys(paths).sort()).toEqual(Object.values(api).sort())
  const parameters = ['code', 'state', 'iss', 'error', 'error_description'].map(name => ({ name }))
  expect(paths[routes.callback]).toMatchObject({ get: { parameters } })
})
