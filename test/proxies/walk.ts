import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { verifyAssertion } from '../support/assertion.ts'
import { forgedHeaders, lookalikePrefixes, otherCookieNames } from '../support/forgeries.ts'
import type { Response } from '../support/send.ts'
import { type Front, identityIn } from './front.ts'
import { hostOfNobody, hosts } from './running.ts'

/** Returns requests that a proxy's check and its routing can read differently. `open` is a path that needs no session. */
function confusingTargets(open: string): readonly string[] {
  const depth = open.split('/').length - 1
  const out = (up: string, slash = '/') => `${open}/${`${up}${slash}`.repeat(depth)}timesheets/`
  return [
    '/timesheets/',
    `/timesheets/?x=${open}/callback`,
    // CVE-2026-41059.
    `/timesheets/#/..${open}/callback`,
    '/#/timesheets/',
    '/timesheets/%23/',
    out('..'),
    out('..', '%2f'),
    out('%252e%252e'),
    out('%2e%2e'),
    out('..', '\\'),
    out('..;'),
    '//timesheets/',
    '/timesheets//',
    '/%74imesheets/',
    '/TIMESHEETS/',
    '/timesheets%2f',
    '/timesheets/%0d%0aX-Homeport-Is-Admin:%201',
    'http://localhost/timesheets/',
    'http://evil.test/timesheets/',
    '/_homeport',
    '/timesheets/%00',
    '/./timesheets/',
  ]
}

/** Returns spellings of the check's path. The handler would answer some of them. */
function spellingsOfCheck(base: string): readonly string[] {
  const paths = [
    ...[
      'forward',
      'forward?navigate=redirect&cookie=rest',
      'forward/',
      'forward;a=b',
      '/forward',
      './forward',
    ],
    ...['session/../forward', 'session/%2e%2e/forward', 'session/..%2fforward', 'session/..\\forward'],
    ...['session/..\\forward\\x/..', 'forward/../../auth\\forward', '%66orward', '%2566orward'],
    ...['forward%00', 'forward%3fcookie=rest'],
  ]
  return [
    ...paths.map(path => `${base}/api/auth/${path}`),
    `/${base}/api/auth/forward`,
    `${base}/api/auth%2fforward`,
    `${base}/api/%61uth/forward`.replace('/_', '/%5f'),
    `${base}/API/auth/FORWARD`,
    `http://localhost${base}/api/auth/forward`,
    `/x/..${base}/api/auth/forward`,
  ]
}

/** Returns requests that are nearly an open path, of which applications read some as another one. */
const besideOpen = (path: string) => [
  path.replace(/[^/]*$/, ''),
  ...['/../closed', '/..%2fclosed', '/..;/closed', '\\..\\closed', '/closed', '2', '%0a'].map(
    end => path + end,
  ),
  `/timesheets/closed/..%2f..${path}`,
]

const methods = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT get GARBAGE'.split(' ')

/** What a browser sends when a person opens a page. */
const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Accept: text/html']

const halfBytes = 10_000_000

const values = (headers: readonly string[], name: string) =>
  headers.filter(header => header.startsWith(`${name}: `)).map(header => header.slice(name.length + 2))

/**
 * Declares what holds behind every proxy, as its document configures it. The last test leaves this network no sign-ins.
 * @param expectUnavailable what visitors get while nobody can be identified
 */
export function testProxy(front: Front, expectUnavailable: (response: Response) => void): void {
  const { basePath } = front
  const openPaths =
    basePath === ''
      ? ['/timesheets/manifest.webmanifest']
      : ['/manifest.webmanifest', '/.well-known/acme-challenge/token-1']
  const [openPath = ''] = openPaths
  const returnTo = (path: string) => `${basePath}/?return=${path}`
  const cookiesPassed = () =>
    front
      .passed()
      .map(({ headers }) => headers.flatMap(([name, value]) => (/^cookie$/i.test(name) ? [value] : [])))

  it('passes the identity but not our cookie, and keeps shared caches from storing the page', async () => {
    const { person, visitor, cookie } = await front.signedIn(true)
    expect((await visitor.session()).status).toBe(200)
    const page = await front.ask('/timesheets/public?a=b', { headers: [`${cookie}; theme=dark; other=1`] })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('the application')])
    expect(values(page.headers, 'cache-control')).toEqual(['private, no-cache'])
    const [passed] = front.passed()
    if (!passed) throw new Error('nothing arrived')
    expect(passed.target).toBe('/timesheets/public?a=b')
    expect(identityIn(passed)).toEqual(front.identityOf(person, true))
    const [, token = ''] = passed.headers.find(([name]) => /assertion/i.test(name)) ?? []
    const keys = await front.ask(`${basePath}/.well-known/jwks.json`)
    expect(verifyAssertion(token, JSON.parse(keys.text))).toBe(true)
  })

  it.each([
    '{session}',
    'a=1; {session}; b=2; __Host-homeport-transaction=x; c=3',
    'a=1;{session};__HOST-homeport-session=y;b=2; __Host-homeport-transaction=x; c=3',
    '{session}; __Host-homeport-a=1; __Host-homeport-b=1; __Host-homeport-c=1; __Host-homeport-d=1; c=3',
    '\xa0{session}; {session}',
  ])('cuts the handler’s cookies out of %j', async form => {
    const { cookie } = await front.signedIn()
    await front.ask('/timesheets/', { headers: [`Cookie: ${form.replaceAll('{session}', cookie.slice(8))}`] })
    const passed = cookiesPassed().join()
    expect(passed).not.toMatch(/homeport/i)
    const many = /-d=1/.test(form) && front.name === 'nginx'
    for (const [own] of many ? [] : form.matchAll(/(?<!-)\b[abc]=\d/g)) expect(passed).toContain(own)
  })

  const targets = new Set([
    ...confusingTargets(`${basePath}/api/auth`),
    ...confusingTargets((openPaths.at(-1) ?? '').replace(/\/[^/]*$/, '')),
    ...besideOpen(openPath),
    ...spellingsOfCheck(basePath),
  ])
  it.each([...targets])(
    'lets nobody in without a session, and shows nobody their identity, at %j',
    async target => {
      for (const method of methods) await front.ask(target, { method }).catch(() => undefined)
      expect(front.passed()).toEqual([])
      const { cookie } = await front.signedIn()
      for (const headers of [[], navigation]) {
        const { headers: shown } = await front.ask(target, { headers: [`${cookie}; theme=dark`, ...headers] })
        expect(shown.join('\n')).not.toMatch(/x-homeport|theme=/)
      }
    },
  )

  it.each(forgedHeaders)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    await front.ask('/timesheets/', { headers }).catch(() => undefined)
    expect(front.passed()).toEqual([])
    const { person, cookie } = await front.signedIn()
    await front.ask('/timesheets/', { headers: [cookie, ...headers] }).catch(() => undefined)
    expect(front.passed().length).toBeLessThanOrEqual(1)
    for (const passed of front.passed()) expect(identityIn(passed)).toEqual(front.identityOf(person, false))
  })

  it('protects each path of the application, with and without a final slash', async () => {
    const { cookie } = await front.signedIn()
    const paths =
      basePath === ''
        ? ['/timesheets', '/timesheets?a=b', '/timesheets/', '/timesheets/api/auth/session']
        : ['/', '/dashboard', '/api/session', '/api/auth/forward', '/healthz', '/timesheets']
    for (const path of paths) {
      expect((await front.ask(path)).status, path).toBe(401)
      expect((await front.ask(path, { headers: [cookie] })).text, path).toBe('the application')
    }
    expect(front.passed().map(({ target }) => target)).toEqual(paths)
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
    const own = front.originOf(front.host)
    for (const [referer, location] of [
      [`${own}/timesheets/7?tab=2`, returnTo('/timesheets/7?tab=2')],
      // Not to the form's own address, which can take POST only.
      [`${own.replace(/:\d+$/, '')}.evil.test/timesheets/7`, basePath === '' ? '/' : returnTo('/')],
      ['', basePath === '' ? '/' : returnTo('/')],
    ] as const) {
      const headers = [...navigation, 'Content-Length: 3', `Referer: ${referer}`]
      const posted = await front.ask('/timesheets/7/delete', { method: 'POST', headers, body: 'a=b' })
      expect([posted.status, values(posted.headers, 'location')], referer).toEqual([303, [location]])
    }
    expect(front.passed()).toEqual([])
  })

  it('sends people who open a page to sign in, whatever they say about what they asked for', async () => {
    for (const forged of ['X-Forwarded-', 'X_Forwarded_', 'X.Forwarded.']) {
      const fields = ['Uri: /else', 'Method: POST', 'Host: evil.test', 'Proto: http', 'Prefix: /else']
      for (const opens of [navigation, ['Accept: text/html,*/*']]) {
        const headers = [...opens, ...fields.map(field => `${forged}${field}`)]
        const answer = await front.ask('/timesheets/week?n=47&x=%2F', { headers })
        const location = [returnTo('/timesheets/week?n=47&x=%2f')]
        expect([answer.status, values(answer.headers, 'location')]).toEqual([302, location])
        expect(values(answer.headers, 'cache-control')).toEqual(['no-store'])
      }
    }
  })

  it('passes WebSockets of people who are signed in, and upgrades to nothing else', async () => {
    const asking = (...names: readonly string[]) => [
      ...['Connection: close, Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZQ=='],
      ...names.map(name => `Upgrade: ${name}`),
    ]
    const upgrades = () =>
      front.passed().flatMap(({ headers }) => headers.filter(([name]) => /^upgrade$/i.test(name)))
    expect((await front.ask('/timesheets/live', { headers: asking('websocket') })).status).toBe(401)
    const { person, cookie } = await front.signedIn()
    const opened = await front.ask('/timesheets/live', { headers: [...asking('websocket'), cookie] })
    expect([opened.status, opened.text]).toEqual([101, expect.stringContaining(`hello ${person.userName}`)])
    for (const names of [
      ...[['h2c'], ['WebSocket'], ['other'], ['other, websocket']],
      ...[
        ['h2c', 'websocket'],
        ['other', 'websocket'],
        ['websocket', 'other'],
      ],
    ])
      await front.ask('/timesheets/live', { headers: [...asking(...names), cookie] }).catch(() => undefined)
    expect(upgrades().filter(([, value]) => value !== 'websocket')).toEqual([])
    const before = upgrades().length
    for (const name of ['h2c', 'websocket']) await front.ask(openPath, { headers: asking(name) })
    expect(upgrades()).toHaveLength(before)
  })

  it('lets no cookies of others lock anybody out', async () => {
    const { cookie } = await front.signedIn()
    const others = Array.from({ length: 16 }, (_, index) => `other${index}=${'x'.repeat(1000)}`)
    const short = Array.from({ length: 40 }, (_, index) => `o${index}=x`)
    // The last one made nginx try every way to split the cookies before it.
    for (const cookies of [others, [...short, ...others], [...short, 'z=__Host-homeport']]) {
      const headers = [`${cookie}; ${cookies.join('; ')}`]
      expect((await front.ask('/timesheets/', { headers })).status).toBe(200)
      expect(cookiesPassed().at(-1)).toEqual([cookies.join('; ')])
    }
    // More than the handler takes.
    const more = ['a', 'b', 'c'].map(name => `Cookie: ${name}=${'x'.repeat(25_000)}`)
    // Traefik passes all of them on.
    for (const target of front.name === 'traefik'
      ? []
      : ['/timesheets/', `${basePath}/api/session`, `${basePath}/`])
      expect((await front.ask(target, { headers: [cookie, ...more] })).status, target).toBe(200)
  })

  it('refuses a session that is sent twice or under a name that looks alike, for page and API', async () => {
    const { cookie } = await front.signedIn()
    const pair = cookie.slice('Cookie: '.length)
    for (const cookies of [
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
    const forged = forgedHeaders.flatMap(([, ...headers]) =>
      headers.filter(header => /homeport/i.test(header)),
    )
    for (const headers of [[], [cookie], ...forged.map(header => [cookie, header])])
      await front.ask(`${path}?a=b`, { headers })
    for (const passed of front.passed()) {
      expect(identityIn(passed).filter(([, value]) => value !== '')).toEqual([])
      expect(JSON.stringify(passed.headers)).not.toMatch(/__Host-/i)
    }
    expect(front.passed().length).toBeGreaterThan(5)
  })

  // The files of Caddy and Traefik name no address, so that they listen on all.
  if (front.name === 'nginx')
    it('serves visitors over IPv6', async () => {
      const { cookie } = await front.signedIn()
      const page = await front.ask('/timesheets/', { headers: [cookie], from: '::1' })
      expect(page.status).toBe(200)
      expect(front.passed()[0]?.headers).toContainEqual(['X-Forwarded-For', '::1'])
      expect((await front.ask('/timesheets/', { port: front.proxy().plain, from: '::1' })).status).toBe(308)
    })

  it('sends visitors of http to https', async () => {
    const { status, headers } = await front.ask('/timesheets/?a=b', { port: front.proxy().plain })
    expect([301, 302, 307, 308]).toContain(status)
    const [location = ''] = values(headers, 'location')
    expect(location).toMatch(/^https:\/\/[\w.]+(:\d+)?\/timesheets\/\?a=b$/)
    expect(new URL(location).hostname).toBe(front.host)
  })

  it('logs each request, but no code, even while the handler is unavailable', async () => {
    const callbacks = ['', '/api'].map(path => `${basePath}${path}/auth/callback?code=c&state=s`)
    const { port, readLog, stop } = await front.startUnavailable()
    for (const target of callbacks) expect((await front.ask(target, { port })).status).toBeGreaterThan(499)
    const unavailable = await readLog()
    await stop()
    for (const target of callbacks) expect([200, 400]).toContain((await front.ask(target)).status)
    const log = () => front.proxy().readLog()
    await expect.poll(log).toMatch(front.name === 'traefik' ? /RouterName/ : /auth\/callback/)
    for (const text of [unavailable, await log()]) expect(text).not.toMatch(/code=|state=/)
  })

  it('takes the session of a host on no other, whichever host a visitor names, and 421 answers a host of nobody', async () => {
    const person = await front.stage().hire()
    for (const own of hosts) {
      const visitor = front.visitor(own)
      expect((await visitor.signIn(person.account)).status, own).toBe(200)
      const cookie = `Cookie: __Host-homeport-session=${visitor.cookie('session')}`
      const name = new URL(front.originOf(own)).host
      for (const forged of [
        [],
        [`X-Forwarded-Host: ${name}`],
        [
          `X_Forwarded_Host: ${name}`,
          `X.Forwarded.Host: ${name}`,
          `Forwarded: host=${name}`,
          `X-Host: ${name}`,
        ],
        ['Connection: close, X-Forwarded-Host', `X-Forwarded-Host: ${name}`],
      ])
        for (const host of [...hosts, hostOfNobody])
          for (const target of ['/timesheets/', `${basePath}/api/session`]) {
            const { status, headers } = await front.ask(target, { host, headers: [cookie, ...forged] })
            const expected = host === own ? 200 : host === hostOfNobody ? 421 : 401
            expect(status, `${target} of ${host} with ${forged} and the session of ${own}`).toBe(expected)
            if (host === hostOfNobody) expect(headers.join('\n')).not.toMatch(/^(location|set-cookie)/m)
          }
    }
    for (const target of ['/timesheets/', `${basePath}/`, `${basePath}/api/auth/login-url`])
      expect((await front.ask(target, { host: hostOfNobody, headers: navigation })).status, target).toBe(421)
  })

  /** Starts a request of a person who is signed in. */
  async function start(method: string, path: string) {
    const { cookie } = await front.signedIn()
    const { port } = front.proxy()
    const headers = { cookie: cookie.slice('Cookie: '.length), host: `${front.host}:${port}` }
    const sent = request({ host: '127.0.0.1', port, method, path, headers })
    const response = once(sent, 'response').then(([message]: IncomingMessage[]) => {
      if (message === undefined) throw new Error('no response')
      return message.setEncoding('utf8')
    })
    return { sent, response }
  }

  it('passes an upload of 20 MB while it is sent', async () => {
    const before = front.receivedBytes()
    const { sent, response } = await start('POST', '/timesheets/upload')
    const refused = response.then(({ statusCode }) => {
      throw new Error(`The proxy answered ${statusCode} before the upload was over.`)
    })
    sent.write(Buffer.alloc(halfBytes))
    const half = expect.poll(front.receivedBytes, { timeout: 10_000 }).toBe(before + halfBytes)
    await Promise.race([refused, half])
    refused.catch(() => undefined)
    sent.end(Buffer.alloc(halfBytes))
    expect((await response).statusCode).toBe(200)
  })

  it('passes each part of a stream at once, and 16 KB of cookies that the application sets', async () => {
    for (const type of ['text/event-stream', 'application/x-ndjson']) {
      const { sent, response } = await start('GET', `/timesheets/stream?${type}`)
      sent.end()
      const parts = (await response).iterator()
      for (const part of ['first', 'second']) {
        const next = await start('GET', `/timesheets/next?${part}`)
        next.sent.end()
        ;(await next.response).resume()
        expect(await parts.next(), type).toMatchObject({ value: `data: ${part}\n\n` })
      }
      sent.destroy()
    }
    const { sent, response } = await start('GET', '/timesheets/cookies')
    sent.end()
    const { statusCode, headers } = (await response).resume()
    expect([statusCode, headers['set-cookie']?.length]).toEqual([200, 4])
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
    const cookie = `Cookie: __Host-homeport-transaction=${junk.cookie('transaction')}`
    const statuses: number[] = []
    for (let index = 0; index < 33; index += 1) {
      const target = `${basePath}/api/auth/callback?code=junk-${index}&state=${state}`
      // An address that no other test sends from, as the limit counts each for itself.
      const headers = [cookie, `X-Forwarded-For: 198.51.100.${index}`]
      statuses.push((await front.ask(target, { headers, from: '127.0.0.30' })).status)
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < 30 ? 401 : 429)))
  })
}
