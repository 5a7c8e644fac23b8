import { expect, it } from 'vitest'
import { type Front, identityIn, type Response } from './front.ts'

/** Headers that bypass other software, and other spellings of our own. None can let anyone in or change who they are. */
export const forgeries: readonly (readonly [string, ...string[]])[] = [
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
  ['an address', 'X-Homeport-Email: boss@example.com', 'X_Homeport_Email: boss@example.com'],
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

/** Returns requests that a proxy's check and its routing can read differently. `api` is a path that needs no session. */
export function confusingTargets(api: string): readonly (readonly [string, string])[] {
  const depth = api.split('/').length - 1
  const out = (up: string, slash = '/') => `${api}/${`${up}${slash}`.repeat(depth)}`
  return [
    ['the application', '/timesheets/'],
    ['a query like a public path', `/timesheets/?x=${api}/callback`],
    ['# in the path (CVE-2026-41059)', `/timesheets/#/..${api}/callback`],
    ['# at the start', '/#/timesheets/'],
    ['an encoded #', '/timesheets/%23/'],
    ['out of a public path', `${out('..')}timesheets/`],
    ['out of a public path, encoded', `${out('..', '%2f')}timesheets/`],
    ['out of a public path, encoded twice', `${out('%252e%252e')}timesheets/`],
    ['encoded dots', `${out('%2e%2e')}timesheets/`],
    ['a backslash', `${out('..', '\\')}timesheets/`],
    ['two slashes', '//timesheets/'],
    ['two slashes inside', '/timesheets//'],
    ['a path parameter', `${out('..;')}timesheets/`],
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
}

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

/** What a browser sends when a person opens a page. */
export const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Accept: text/html']

/**
 * Declares the tests that every proxy passes: nobody gets in without a session, or as somebody else. They come last in their
 * group, since the last one leaves this network no sign-ins.
 * @param expectUnavailable what visitors get while nobody can be identified
 */
export function testProtection(front: Front, expectUnavailable: (response: Response) => void): void {
  it('passes the identity but not our cookie, and keeps shared caches from storing the page', async () => {
    const { person, visitor, cookie } = await front.signedIn(true)
    expect((await visitor.session()).status).toBe(200)
    const page = await front.ask('/timesheets/public?a=b', { headers: [`${cookie}; theme=dark; other=1`] })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('the application')])
    expect(page.headers.filter(header => header.startsWith('cache-control'))).toEqual([
      'cache-control: private, no-cache',
    ])
    const [passed] = front.passed()
    if (!passed) throw new Error('nothing arrived')
    expect(passed.target).toBe('/timesheets/public?a=b')
    expect(identityIn(passed)).toEqual(front.identityOf(person, true))
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
    const { cookie } = await front.signedIn()
    const given = form.replaceAll('{session}', cookie.slice('Cookie: '.length))
    await front.ask('/timesheets/', { headers: [`Cookie: ${given}`] })
    const [passed] = front.passed()
    const cookies = passed?.headers.filter(([header]) => /^cookie$/i.test(header)).map(([, value]) => value)
    expect(cookies?.join() ?? '').not.toMatch(/homeport/i)
    const many = /-d=1/.test(form) && front.name === 'nginx'
    const kept = many ? [] : [...form.matchAll(/\b[abc]=\d/g)].map(([pair]) => pair)
    const own = kept.filter(pair => !form.includes(`-${pair}`))
    for (const pair of own) expect(cookies?.join()).toContain(pair)
  })

  it.each(confusingTargets(`${front.basePath}/api/auth`))(
    'lets nobody in without a session: %s',
    async (_, target) => {
      for (const method of methods) await front.ask(target, { method }).catch(() => undefined)
      expect(front.passed()).toEqual([])
    },
  )

  it.each(forgeries)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    await front.ask('/timesheets/', { headers }).catch(() => undefined)
    expect(front.passed()).toEqual([])
    const { person, cookie } = await front.signedIn()
    await front.ask('/timesheets/', { headers: [cookie, ...headers] }).catch(() => undefined)
    expect(front.passed().length).toBeLessThanOrEqual(1)
    for (const passed of front.passed()) {
      expect(identityIn(passed)).toEqual(front.identityOf(person, false))
    }
  })

  it('lets nobody in with two @ in their address (GHSA-c5c4-8r6x)', async () => {
    const { userName } = await front.stage().hire()
    for (const mail of [`${userName}@evil.test@example.com`, `${userName}@example.com@evil.test`]) {
      const { account } = await front.stage().hire({ employee: null, user: { mail } })
      const visitor = front.visitor()
      expect((await visitor.signIn(account)).body).toMatchObject({ code: 'domain-not-allowed' })
      expect(visitor.cookie('session')).toBeUndefined()
    }
  })

  it('sends a visitor without a session to sign in, and back to the page', async () => {
    const answer = await front.ask('/timesheets/week?n=47&x=%2F', { headers: navigation })
    expect(answer.status).toBe(302)
    const location = answer.headers.find(header => header.startsWith('location: '))
    expect(location?.replace(/(?<=: )http:\/\/localhost(:\d+)?/, '')).toBe(
      `location: ${front.basePath}/?return=/timesheets/week?n=47&x=%2f`,
    )
    expect(answer.headers).toContain('cache-control: no-store')
  })

  it('lets nobody in while the store or the handler is unavailable', async () => {
    const { cookie } = await front.signedIn()
    for (const response of await front.askUnavailable([cookie])) expectUnavailable(response)
    expect(front.passed()).toEqual([])
    expect((await front.ask('/timesheets/', { headers: [cookie] })).status).toBe(200)
  })

  it('passes the visitor’s real address to the handler, not a forged one', async () => {
    const junk = front.visitor()
    const state = (await junk.start()).searchParams.get('state') ?? ''
    const statuses: number[] = []
    for (let index = 0; index < 33; index += 1) {
      const forged = { 'x-forwarded-for': `198.51.100.${index}` }
      statuses.push((await junk.callback({ code: `junk-${index}`, state }, forged)).status)
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < 30 ? 401 : 429)))
  })
}
