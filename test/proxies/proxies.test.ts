import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { debianProgram, NoProgram } from '../../tools/debian.ts'
import { type Stage, startStage } from '../src/support/stage.ts'
import { Visitor } from '../support/visitor.ts'
import { type Passed, send, startApplication, startProxy, type WebProxyName } from './running.ts'

/** Finds the proxies, and says why one did not run. */
async function findProxies() {
  const found: { name: WebProxyName; program: string }[] = []
  for (const name of ['nginx', 'caddy'] as const) {
    try {
      found.push({ name, program: await debianProgram(name) })
    } catch (error) {
      if (!(error instanceof NoProgram)) throw error
      process.stderr.write(`${name} did not run: ${error.message}\n`)
    }
  }
  process.stderr.write(
    'Traefik did not run: it can remove neither headers by pattern nor one cookie, so there is no recipe for it.\n',
  )
  return found
}

const proxies = await findProxies()

const missing = ['nginx', 'caddy'].filter(name => proxies.every(proxy => proxy.name !== name))

it.skipIf(missing.length > 0)(
  `nginx and Caddy can run here${missing.map(name => ` (no ${name})`).join('')}`,
  () => {
    expect(proxies.map(({ name }) => name)).toEqual(['nginx', 'caddy'])
  },
)

/** Returns a header's name in CGI, WSGI and PHP, which keep only letters and digits. */
const asApplicationReads = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** Headers that bypass other software, and other spellings of our own. None can let anyone in or change who they are. */
const forgeries: readonly (readonly [string, ...string[]])[] = [
  [
    'X-Forwarded-Uri of a public path (CVE-2026-40575)',
    'X-Forwarded-Uri: /openapi.json',
    'X-Original-URL: /',
  ],
  ['X-Original-URI, X-Rewrite-URL', 'X-Original-URI: /healthz', 'X-Rewrite-URL: /healthz'],
  ['a health check’s User-Agent (CVE-2026-34457)', 'User-Agent: GoogleHC/1.0'],
  ['a probe’s User-Agent', 'User-Agent: kube-probe/1.30'],
  [
    'another method for the check (authentik)',
    'X-Forwarded-Method: OPTIONS',
    'X-HTTP-Method-Override: OPTIONS',
  ],
  ['another host for the check', 'X-Forwarded-Host: localhost', 'Forwarded: for=127.0.0.1;host=localhost'],
  ['a local address', 'X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'],
  ['our headers', 'X-Homeport-Username: boss', 'X-Homeport-Resource-Id: 1', 'X-Homeport-Is-Admin: 1'],
  ['our headers twice', 'X-Homeport-Is-Admin: 1', 'x-homeport-is-admin: 1', 'X-HOMEPORT-USERNAME: boss'],
  [
    'underscores (CVE-2025-64484)',
    'X_Homeport_Is_Admin: 1',
    'X-Homeport_Is-Admin: 1',
    'x_homeport_username: boss',
    'X_Homeport_Resource_Id: 1',
  ],
  ['other punctuation', 'X.Homeport.Is.Admin: 1', 'X!Homeport-Is-Admin: 1', 'X-Homeport-Is~Admin: 1'],
  ['a Connection header that names ours', 'Connection: close, X-Homeport-Is-Admin, X-Homeport-Username'],
  ['a Connection header that names the cookie', 'Connection: close, Cookie'],
  ['a folded header', 'X-Other: a\r\n X-Homeport-Is-Admin: 1'],
  ['a blank before the colon', 'X-Homeport-Is-Admin : 1'],
  ['an Authorization header', 'Authorization: Bearer x'],
  ['chunks and a length', 'Transfer-Encoding: chunked', 'Content-Length: 4'],
]

/** Requests that a proxy's check and its routing can read differently. */
const targets: readonly (readonly [string, string])[] = [
  ['the application', '/timesheets/'],
  ['a query like a public path', '/timesheets/?x=/api/auth/callback'],
  ['# in the path (CVE-2026-41059)', '/timesheets/#/../api/auth/callback'],
  ['# at the start', '/#/timesheets/'],
  ['an encoded #', '/timesheets/%23/'],
  ['out of a public path', '/api/auth/../../timesheets/'],
  ['out of a public path, encoded', '/api/auth/..%2f..%2ftimesheets/'],
  ['out of a public path, encoded twice', '/api/auth/%252e%252e/%252e%252e/timesheets/'],
  ['encoded dots', '/api/auth/%2e%2e/%2e%2e/timesheets/'],
  ['a backslash', '/api/auth/..\\..\\timesheets/'],
  ['two slashes', '//timesheets/'],
  ['two slashes inside', '/timesheets//'],
  ['a path parameter', '/api/auth/..;/..;/timesheets/'],
  ['an encoded letter', '/%74imesheets/'],
  ['capitals', '/TIMESHEETS/'],
  ['an encoded slash', '/timesheets%2f'],
  ['an encoded end of line', '/timesheets/%0d%0aX-Homeport-Is-Admin:%201'],
  ['a whole URL', 'http://localhost/timesheets/'],
  ['a whole URL of another host', 'http://evil.test/timesheets/'],
  ['the check itself', '/_homeport'],
  ['a null byte', '/timesheets/%00'],
  ['a dot', '/./timesheets/'],
]

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'get',
  'GARBAGE',
]

describe.each(proxies)('$name, as the document configures it,', ({ name, program }) => {
  let stage: Stage
  let application: Awaited<ReturnType<typeof startApplication>>
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    stage = await startStage('node', { env: { TRUSTED_PROXIES: '127.0.0.1', REQUIRE_STATE: 'true' } })
    application = await startApplication()
    const handler = Number(new URL(stage.origin).port)
    proxy = await startProxy(name, program, { handler, application: application.port })
  })
  afterAll(async () => {
    await proxy?.stop()
    await application?.close()
    await stage?.close()
  })
  beforeEach(() => {
    application.passed.length = 0
  })

  function ask(
    target: string,
    { method = 'GET', headers = [] as readonly string[], port = proxy.port } = {},
  ) {
    const close = headers.some(header => /^connection:/i.test(header)) ? [] : ['Connection: close']
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...close, ...headers]
    const body = headers.some(header => /chunked$/.test(header)) ? '0\r\n\r\n' : ''
    return send(port, `${lines.join('\r\n')}\r\n\r\n${body}`)
  }
  /** Signs in through the proxy. */
  async function signedIn(admin = false) {
    const person = await stage.hire({ employee: { admin } })
    const visitor = new Visitor(proxy.origin, stage.origin)
    const answer = await visitor.signIn(person.account)
    expect(answer.body).toMatchObject({ user: { username: person.userName } })
    return { person, visitor, cookie: `Cookie: __Host-homeport-session=${visitor.cookie('session')}` }
  }
  const identityIn = ({ headers }: Passed) =>
    headers
      .map(([header, value]) => [asApplicationReads(header), value] as const)
      .filter(([header]) => header.includes('homeport'))
      .sort(([one], [other]) => (one < other ? -1 : 1))

  it('passes the identity but not our cookie, and keeps shared caches from storing the page', async () => {
    const { person, visitor, cookie } = await signedIn(true)
    expect((await visitor.session()).status).toBe(200)
    const page = await ask('/timesheets/public?a=b', { headers: [`${cookie}; theme=dark; other=1`] })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('the application')])
    expect(page.headers.filter(header => header.startsWith('cache-control'))).toEqual([
      'cache-control: private, no-cache',
    ])
    const [passed] = application.passed
    if (!passed) throw new Error('nothing arrived')
    expect(passed.target).toBe('/timesheets/public?a=b')
    expect(identityIn(passed)).toEqual([
      ['x_homeport_is_admin', '1'],
      ['x_homeport_resource_id', person.employeeId],
      ['x_homeport_username', person.userName],
    ])
    expect(JSON.stringify(passed.headers)).not.toMatch(/__Host-/i)
    expect(JSON.stringify(passed.headers)).toContain('theme=dark; other=1')
  })

  it.each([
    '{session}',
    'a=1; {session}',
    '{session}; b=2',
    'a=1; {session}; b=2; __Host-homeport-transaction=x; c=3',
    'a=1;{session};__HOST-homeport-session=y;b=2; __Host-homeport-transaction=x; c=3',
    '{session}; __Host-homeport-a=1; __Host-homeport-b=1; __Host-homeport-c=1; __Host-homeport-d=1; c=3',
    '\xa0{session}; {session}',
  ])('cuts the handler’s cookies out of %j', async form => {
    const { cookie } = await signedIn()
    const given = form.replaceAll('{session}', cookie.slice('Cookie: '.length))
    await ask('/timesheets/', { headers: [`Cookie: ${given}`] })
    const [passed] = application.passed
    const cookies = passed?.headers.filter(([header]) => /^cookie$/i.test(header)).map(([, value]) => value)
    expect(cookies?.join() ?? '').not.toMatch(/homeport/i)
    const many = /-d=1/.test(form) && name === 'nginx'
    const kept = many ? [] : [...form.matchAll(/\b[abc]=\d/g)].map(([pair]) => pair)
    const own = kept.filter(pair => !form.includes(`-${pair}`))
    for (const pair of own) expect(cookies?.join()).toContain(pair)
  })

  it.each(targets)('lets nobody in without a session: %s', async (_, target) => {
    for (const method of methods) await ask(target, { method }).catch(() => undefined)
    expect(application.passed).toEqual([])
  })

  it.each(forgeries)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    await ask('/timesheets/', { headers }).catch(() => undefined)
    expect(application.passed).toEqual([])
    const { person, cookie } = await signedIn()
    await ask('/timesheets/', { headers: [cookie, ...headers] }).catch(() => undefined)
    expect(application.passed.length).toBeLessThanOrEqual(1)
    for (const passed of application.passed) {
      expect(identityIn(passed)).toEqual([
        ['x_homeport_is_admin', '0'],
        ['x_homeport_resource_id', person.employeeId],
        ['x_homeport_username', person.userName],
      ])
    }
  })

  it('lets nobody in with two @ in their address (GHSA-c5c4-8r6x)', async () => {
    const { userName } = await stage.hire()
    for (const mail of [`${userName}@evil.test@example.com`, `${userName}@example.com@evil.test`]) {
      const { account } = await stage.hire({ employee: null, user: { mail } })
      const visitor = new Visitor(proxy.origin, stage.origin)
      expect((await visitor.signIn(account)).body).toMatchObject({ code: 'domain-not-allowed' })
      expect(visitor.cookie('session')).toBeUndefined()
    }
  })

  it('sends a visitor without a session to sign in, and back to the page', async () => {
    const answer = await ask('/timesheets/week?n=47&x=%2F')
    expect(answer.status).toBe(302)
    expect(answer.headers.find(header => header.startsWith('location:'))).toMatch(
      /^location: (http:\/\/localhost(:\d+)?)?\/\?return=\/timesheets\/week\?n=47&x=%2f$/,
    )
    expect(answer.headers).toContain('cache-control: no-store')
  })

  it('serves a page with 503 while the store or the handler is unavailable', async () => {
    const { cookie } = await signedIn()
    const restore = await stage.breakStore()
    const away = await ask('/timesheets/', { headers: [cookie] })
    await restore()
    const gone = await startProxy(name, program, { handler: 9, application: application.port })
    const stopped = await ask('/timesheets/', { headers: [cookie], port: gone.port })
    await gone.stop()
    for (const { status, text, headers } of [away, stopped]) {
      expect(status).toBe(503)
      expect(text).toContain('<h1>The service is unavailable</h1>')
      expect(headers.join('\n')).toMatch(/^content-type: text\/html/m)
      expect(headers).toContain('cache-control: no-store')
    }
    expect(application.passed).toEqual([])
    expect((await ask('/timesheets/', { headers: [cookie] })).status).toBe(200)
  })

  it('passes the visitor’s real address to the handler, not a forged one', async () => {
    const junk = new Visitor(proxy.origin, stage.origin)
    const state = (await junk.start()).searchParams.get('state') ?? ''
    const statuses: number[] = []
    for (let index = 0; index < 33; index += 1) {
      const forged = { 'x-forwarded-for': `198.51.100.${index}` }
      statuses.push((await junk.callback({ code: `junk-${index}`, state }, forged)).status)
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < 30 ? 401 : 429)))
  })
})
