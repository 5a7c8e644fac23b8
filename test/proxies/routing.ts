import { expect, it } from 'vitest'
import { forgedHeaders, lookalikePrefixes, otherCookieNames } from '../support/forgeries.ts'
import { type Front, identityIn } from './front.ts'
import { confusingTargets, navigation } from './protection.ts'

/** Returns spellings of the check's path. The handler would answer some of them. */
function spellingsOfCheck(base: string): readonly string[] {
  return [
    `${base}/api/auth/forward`,
    `${base}/api/auth/forward?navigate=redirect&cookie=rest`,
    `${base}/api/auth/forward/`,
    `${base}/api/auth/forward;a=b`,
    `${base}/api/auth//forward`,
    `/${base}/api/auth/forward`,
    `${base}/api/auth/./forward`,
    `${base}/api/auth/session/../forward`,
    `${base}/api/auth/session/%2e%2e/forward`,
    `${base}/api/auth/session/..%2fforward`,
    `${base}/api/auth/session/..\\forward`,
    `${base}/api/auth/session/..\\forward\\x/..`,
    `${base}/api/auth/forward/../../auth\\forward`,
    `${base}/api/auth%2fforward`,
    `${base}/api/auth/%66orward`,
    `${base}/api/auth/%2566orward`,
    `${base}/api/%61uth/forward`.replace('/_', '/%5f'),
    `${base}/api/auth/forward%00`,
    `${base}/api/auth/forward%3fcookie=rest`,
    `${base}/API/auth/FORWARD`,
    `http://localhost${base}/api/auth/forward`,
    `/x/..${base}/api/auth/forward`,
  ]
}

const upgrade = [
  'Connection: close, Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZQ==',
]

const values = (headers: readonly string[], name: string) =>
  headers.filter(header => header.startsWith(`${name}: `)).map(header => header.slice(name.length + 2))

/** Declares the tests of what belongs to whom on a host: the handler, the application, everybody, and nobody. */
export function testRouting(front: Front): void {
  const { basePath } = front
  const isWholeHost = basePath !== ''
  const openPaths = isWholeHost
    ? ['/manifest.webmanifest', '/.well-known/acme-challenge/token-1']
    : ['/timesheets/manifest.webmanifest']
  const folder = (openPaths.at(-1) ?? '').replace(/\/[^/]*$/, '')
  const forged = forgedHeaders.flatMap(([, ...headers]) => headers.filter(header => /homeport/i.test(header)))

  it.each(spellingsOfCheck(basePath))('answers nobody who asks for the check itself: %s', async target => {
    const { cookie } = await front.signedIn()
    for (const headers of [[], navigation]) {
      const answer = await front.ask(target, { headers: [`${cookie}; theme=dark`, ...headers] })
      // Traefik reads the spelling that ends in dots as the session's path, and passes that.
      const refused = front.name === 'traefik' && target.endsWith('..') ? [200] : [400, 404]
      expect(refused).toContain(answer.status)
      expect(answer.headers.join('\n')).not.toMatch(/homeport|theme/)
    }
    expect(front.passed()).toEqual([])
  })

  it('protects each path of the application, with and without a final slash', async () => {
    const { cookie } = await front.signedIn()
    const targets = isWholeHost
      ? [
          '/',
          '/dashboard',
          '/api/session',
          '/api/auth/session',
          '/api/auth/forward',
          '/healthz',
          '/timesheets',
        ]
      : ['/timesheets', '/timesheets?a=b', '/timesheets/', '/timesheets/api/auth/session']
    for (const target of targets) {
      expect((await front.ask(target)).status, target).toBe(401)
      expect((await front.ask(target, { headers: [cookie] })).text, target).toBe('the application')
    }
    expect(front.passed().map(({ target }) => target)).toEqual(targets)
  })

  it('answers a page’s fetch, a frame and a prefetch with 401, and a form with the way to sign in', async () => {
    for (const headers of [
      ['Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Accept: text/html'],
      ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe', 'Accept: text/html'],
      [...navigation, 'Sec-Purpose: prefetch;prerender'],
      ['Accept: application/json'],
    ]) {
      const answer = await front.ask('/timesheets/', { headers })
      expect([answer.status, values(answer.headers, 'location')], headers.join()).toEqual([401, []])
      expect(values(answer.headers, 'www-authenticate')).toEqual(['homeport realm="employees"'])
      expect(answer.text).toContain('"code":"signed-out"')
      expect(values(answer.headers, 'cache-control')).toEqual(['no-store'])
    }
    const form = [...navigation, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3']
    const location = [`${basePath}/?return=/timesheets/`]
    const own = front.originOf(front.host)
    for (const [referer, path] of [
      [`${own}/timesheets/7?tab=2`, '/timesheets/7?tab=2'],
      [`${own.replace(/:\d+$/, '')}.evil.test/timesheets/7`, null],
      ['http://evil.test/timesheets/7', null],
      ['', null],
    ] as const) {
      const headers = [...form, `Referer: ${referer}`]
      const posted = await front.ask('/timesheets/7/delete', { method: 'POST', headers, body: 'a=b' })
      // Not to the form's own address, which can take POST only.
      const home = basePath === '' ? '/' : `${basePath}/?return=/`
      const expected = path === null ? home : `${basePath}/?return=${path}`
      expect([posted.status, values(posted.headers, 'location')], referer).toEqual([303, [expected]])
    }
    const old = await front.ask('/timesheets/', { headers: ['Accept: text/html,*/*'] })
    expect([old.status, values(old.headers, 'location')]).toEqual([302, location])
    expect(front.passed()).toEqual([])
  })

  it('believes no visitor about what they asked for', async () => {
    for (const forged of ['X-Forwarded-', 'X_Forwarded_', 'X.Forwarded.']) {
      const fields = ['Uri: /else', 'Method: POST', 'Host: evil.test', 'Proto: http', 'Prefix: /else']
      const headers = [...navigation, ...fields.map(field => `${forged}${field}`)]
      const answer = await front.ask('/timesheets/', { headers })
      const location = [`${basePath}/?return=/timesheets/`]
      expect([answer.status, values(answer.headers, 'location')]).toEqual([302, location])
    }
  })

  it('passes WebSockets of people who are signed in', async () => {
    const headers = ['Upgrade: websocket', ...upgrade]
    expect((await front.ask('/timesheets/live', { headers })).status).toBe(401)
    expect(front.passed()).toEqual([])
    const { person, cookie } = await front.signedIn()
    const opened = await front.ask('/timesheets/live', { headers: [...headers, cookie] })
    expect([opened.status, opened.text]).toEqual([101, expect.stringContaining(`hello ${person.userName}`)])
    expect(front.passed().flatMap(identityIn)).toContainEqual(['x_homeport_username', person.userName])
  })

  it('upgrades to nothing but WebSockets, and to nothing on open paths', async () => {
    const { cookie } = await front.signedIn()
    const upgrades = () =>
      front.passed().flatMap(({ headers }) => headers.filter(([name]) => /^upgrade$/i.test(name)))
    for (const names of [
      ['h2c'],
      ['WebSocket'],
      ['other'],
      ['h2c', 'websocket'],
      ['other', 'websocket'],
      ['websocket', 'other'],
      ['other, websocket'],
    ]) {
      const headers = ['Connection: close, Upgrade', ...names.map(name => `Upgrade: ${name}`)]
      await front.ask('/timesheets/live', { headers: [...headers, cookie] }).catch(() => undefined)
    }
    expect(upgrades().filter(([, value]) => value !== 'websocket')).toEqual([])
    const before = [front.passed().length, upgrades().length]
    for (const name of ['h2c', 'websocket']) {
      const headers = ['Connection: close, Upgrade', `Upgrade: ${name}`]
      await front.ask(openPaths[0] ?? '', { headers })
    }
    expect([front.passed().length - 2, upgrades().length]).toEqual(before)
  })

  it('lets no cookies of others lock anybody out', async () => {
    const { cookie } = await front.signedIn()
    const others = Array.from({ length: 16 }, (_, index) => `other${index}=${'x'.repeat(1000)}`)
    const short = Array.from({ length: 40 }, (_, index) => `o${index}=x`)
    // The last one made nginx try every way to split the cookies before it.
    for (const cookies of [others, [...short, ...others], [...short, 'z=__Host-homeport']]) {
      const headers = [`${cookie}; ${cookies.join('; ')}`]
      expect((await front.ask('/timesheets/', { headers })).status).toBe(200)
      expect((await front.ask(`${basePath}/api/session`, { headers })).status).toBe(200)
      const passed = front
        .passed()
        .at(-1)
        ?.headers.filter(([name]) => /^cookie$/i.test(name))
      expect(passed?.map(([, value]) => value)).toEqual([cookies.join('; ')])
    }
  })

  it('refuses a session that is sent twice or under a name that looks alike, for page and API', async () => {
    const { cookie } = await front.signedIn()
    const pair = cookie.slice('Cookie: '.length)
    for (const cookies of [
      [`${pair}; ${pair}`],
      [`a=1; ${pair}; b=2;\t${pair}`],
      [pair, pair],
      ...lookalikePrefixes.map(([, prefix]) => [prefix + pair]),
      ...otherCookieNames.map(name => [`${name}=${pair.split('=')[1]}`]),
      [` a${pair}`],
      [`a=1, ${pair}`],
      [pair.replace('=', ' =')],
    ]) {
      const headers = cookies.map(value => `Cookie: ${value}`)
      for (const target of ['/timesheets/', `${basePath}/api/session`])
        expect((await front.ask(target, { headers })).status, `${target} ${cookies}`).toBe(401)
    }
    expect(front.passed()).toEqual([])
  })

  it('passes a renewed cookie on', async () => {
    const { person, cookie } = await front.signedIn()
    const sql = 'UPDATE employees SET is_admin = true WHERE id = $1'
    await front.stage().store.query(sql, [person.employeeId])
    const { headers } = await front.ask('/timesheets/', { headers: [cookie] })
    expect(values(headers, 'set-cookie')).toEqual([
      expect.stringMatching(/^__host-homeport-session=[^;]+; path=\//),
    ])
  })

  it.each(openPaths)('opens %s to everybody, without an identity', async path => {
    const { cookie } = await front.signedIn()
    const headersOf = forged.map(header => [cookie, header])
    for (const headers of [[], [cookie], ...headersOf]) await front.ask(`${path}?a=b`, { headers })
    for (const passed of front.passed()) {
      expect(identityIn(passed).filter(([, value]) => value !== '')).toEqual([])
      expect(JSON.stringify(passed.headers)).not.toMatch(/__Host-/i)
    }
    expect(front.passed().length).toBeGreaterThan(5)
  })

  it.each<readonly [string, string]>([
    ...confusingTargets(folder),
    ['the folder of the open path', `${folder}/`],
    ['out of the open path', `${openPaths[0]}/../closed`],
    ['out of the open path, encoded', `${openPaths[0]}/..%2fclosed`],
    ['out of the open path, as Tomcat reads it', `${openPaths[0]}/..;/closed`],
    ['out of the open path, as Windows reads it', `${openPaths[0]}\\..\\closed`],
    ['into the open path', `/timesheets/closed/..%2f..${openPaths[0]}`],
    ['below the open path', `${openPaths[0]}/closed`],
    ['a file beside', `${openPaths[0]}2`],
    ['an end of line', `${openPaths[0]}%0a`],
  ])('opens nothing else: %s', async (_, target) => {
    await front.ask(target).catch(() => undefined)
    expect(front.passed()).toEqual([])
  })

  // The files of Caddy and Traefik name no address, so that they listen on all.
  if (front.name === 'nginx')
    it('serves visitors over IPv6', async () => {
      const { cookie } = await front.signedIn()
      const page = await front.ask('/timesheets/', { headers: [cookie], from: '::1' })
      expect(page.status).toBe(200)
      expect(front.passed()[0]?.headers).toContainEqual(['X-Forwarded-For', '::1'])
      const plain = await front.ask('/timesheets/', { port: front.proxy().plain, from: '::1' })
      expect(plain.status).toBe(308)
    })

  it('sends visitors of http to https', async () => {
    const { status, headers } = await front.ask('/timesheets/?a=b', { port: front.proxy().plain })
    expect([301, 302, 307, 308]).toContain(status)
    expect(values(headers, 'location').join()).toMatch(/^https:\/\/[\w.]+(:\d+)?\/timesheets\/\?a=b$/)
    expect(new URL(values(headers, 'location').join()).hostname).toBe(front.host)
  })

  it('logs each request, but no code, even while the handler is unavailable', async () => {
    const callbacks = [
      `${basePath}/auth/callback?code=c&state=s`,
      `${basePath}/api/auth/callback?code=c&state=s`,
    ]
    const { port, readLog, stop } = await front.startUnavailable()
    for (const target of callbacks) expect((await front.ask(target, { port })).status).toBeGreaterThan(499)
    const unavailable = await readLog()
    await stop()
    for (const target of callbacks) expect([200, 400]).toContain((await front.ask(target)).status)
    const log = () => front.proxy().readLog()
    const logged = front.name === 'traefik' ? /RouterName/ : /auth\/callback/
    await expect.poll(log).toMatch(logged)
    for (const text of [unavailable, await log()]) expect(text).not.toMatch(/code=|state=/)
  })
}
