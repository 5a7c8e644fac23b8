import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { verifyAssertion } from '../support/assertion.ts'
import { forgedHeaders, lookalikePrefixes, otherCookieNames } from '../support/forgeries.ts'
import { cookieOf, type Front, identityIn, startFront } from './front.ts'
import { hostOfNobody, hosts, type Recipe } from './running.ts'

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

/** What visitors ask to change to: in one header, or in two. */
const otherUpgrades =
  'h2c|WebSocket|other|other, websocket|h2c+websocket|other+websocket|websocket+other'.split('|')

/** What a browser sends when a person opens a page. */
const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Accept: text/html']

const halfBytes = 10_000_000

const values = (headers: readonly string[], name: string) =>
  headers.filter(header => header.startsWith(`${name}: `)).map(header => header.slice(name.length + 2))

/** Declares what holds behind a proxy, as its document configures it. The last test leaves this network no sign-ins. */
export function testProxy(recipe: Recipe): void {
  const { name: proxy, basePath } = recipe
  let front: Front
  beforeAll(async () => {
    front = await startFront(recipe)
  })
  afterAll(() => front?.close())
  beforeEach(() => {
    front.application.passed.length = 0
  })
  const passed = () => front.application.passed
  const openPaths =
    basePath === ''
      ? ['/timesheets/manifest.webmanifest']
      : ['/manifest.webmanifest', '/.well-known/acme-challenge/token-1']
  const [openPath = ''] = openPaths
  const returnTo = (path: string) => `${basePath}/?return=${path}`
  const cookiesPassed = () => passed().map(({ headersDistinct }) => headersDistinct['cookie'])

  it('passes the identity but not our cookie, and keeps shared caches from storing the page', async () => {
    const { person, visitor, cookie } = await front.signedIn(true)
    expect((await visitor.session()).status).toBe(200)
    const page = await front.ask('/timesheets/public?a=b', { headers: [`${cookie}; theme=dark; other=1`] })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('the application')])
    expect(values(page.headers, 'cache-control')).toEqual(['private, no-cache'])
    const [arrived] = passed()
    if (!arrived) throw new Error('nothing arrived')
    expect(arrived.url).toBe('/timesheets/public?a=b')
    expect(identityIn(arrived)).toEqual(front.identityOf(person, true))
    const keys = await front.ask(`${basePath}/.well-known/jwks.json`)
    expect(verifyAssertion(String(arrived.headers['x-homeport-assertion']), JSON.parse(keys.text))).toBe(true)
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
    const cookies = cookiesPassed().join()
    expect(cookies).not.toMatch(/homeport/i)
    const many = /-d=1/.test(form) && proxy === 'nginx'
    for (const [own] of many ? [] : form.matchAll(/(?<!-)\b[abc]=\d/g)) expect(cookies).toContain(own)
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
      expect(passed()).toEqual([])
      const { cookie } = await front.signedIn()
      for (const headers of [[], navigation]) {
        const { headers: shown } = await front.ask(target, { headers: [`${cookie}; theme=dark`, ...headers] })
        expect(shown.join('\n')).not.toMatch(/x-homeport|theme=/)
      }
    },
  )

  it.each(forgedHeaders)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    await front.ask('/timesheets/', { headers }).catch(() => undefined)
    expect(passed()).toEqual([])
    const { person, cookie } = await front.signedIn()
    await front.ask('/timesheets/', { headers: [cookie, ...headers] }).catch(() => undefined)
    expect(passed().length).toBeLessThanOrEqual(1)
    for (const one of passed()) expect(identityIn(one)).toEqual(front.identityOf(person, false))
  })

  // Traefik cannot rename headers.
  if (proxy !== 'traefik')
    it('gives headers the names that the application expects, and removes the visitor’s own', async () => {
      const { person, cookie } = await front.signedIn()
      const forged = ['Remote-User', 'Remote_User', 'X-Forwarded-User', 'X_Forwarded_User']
      const headers = forged.map(name => `${name}: boss`)
      await front.ask('/timesheets/', { headers: [cookie, ...headers] })
      await front.ask(openPath, { headers: [cookie, ...headers] })
      await front.ask('/timesheets/', { headers })
      const users = passed().map(({ headersDistinct }) =>
        Object.fromEntries(Object.entries(headersDistinct).filter(([name]) => name.endsWith('user'))),
      )
      const user = [person.userName]
      expect(users).toEqual([{ 'remote-user': user, 'x-forwarded-user': user }, {}])
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
    expect(passed().map(({ url }) => url)).toEqual(paths)
  })

  it('answers a page’s fetch and a prefetch with 401, and a form with the way to sign in', async () => {
    for (const headers of [
      ['Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty', 'Accept: text/html'],
      [...navigation, 'Sec-Purpose: prefetch;prerender'],
      ['Accept: application/json'],
    ]) {
      const answer = await front.ask('/timesheets/', { headers })
      expect([answer.status, values(answer.headers, 'location')], headers.join()).toEqual([401, []])
      expect(values(answer.headers, 'www-authenticate')).toEqual(['homeport realm="employees"'])
      expect(answer.text).toContain('"code":"signed-out"')
      expect(values(answer.headers, 'cache-control')).toEqual(['no-store'])
    }
    const own = front.originOf(hosts[1])
    const headers = [...navigation, 'Content-Length: 3', `Referer: ${own}/timesheets/7?tab=2`]
    const posted = await front.ask('/timesheets/7/delete', { method: 'POST', headers, body: 'a=b' })
    // Not to the form's own address, which can take POST only.
    const location = `${basePath}/?form&return=/timesheets/7?tab=2`
    expect([posted.status, values(posted.headers, 'location')]).toEqual([303, [location]])
    expect(passed()).toEqual([])
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

  it('has a session that was ended elsewhere wait for a click', async () => {
    const { person, cookie } = await front.signedIn()
    const sql = 'INSERT INTO homeport_ended_sessions VALUES ($1, $2, $2)'
    await front.stage.store.query(sql, [`employee:${person.employeeId}`, String(Date.now() + 60_000)])
    const sent = await front.ask('/timesheets/', { headers: [cookie, ...navigation] })
    const [location = ''] = values(sent.headers, 'location')
    const [set = cookie.slice('Cookie: '.length)] = values(sent.headers, 'set-cookie')
    const shown = await front.ask(location, {
      headers: [`Cookie: ${set.replace(/;.*/, '').replace('__host-', '__Host-')}`, ...navigation],
    })
    expect(shown.text).toContain('Your session has ended.')
    expect(shown.text).not.toContain('id="starting"')
  })

  it('passes WebSockets of people who are signed in, and upgrades to nothing else', async () => {
    const asking = (...names: readonly string[]) => [
      ...['Connection: close, Upgrade', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZQ=='],
      ...names.map(name => `Upgrade: ${name}`),
    ]
    const upgrades = () => passed().flatMap(({ headersDistinct }) => headersDistinct['upgrade'] ?? [])
    expect((await front.ask('/timesheets/live', { headers: asking('websocket') })).status).toBe(401)
    const { person, cookie } = await front.signedIn()
    const opened = await front.ask('/timesheets/live', { headers: [...asking('websocket'), cookie] })
    expect([opened.status, opened.text]).toEqual([101, expect.stringContaining(`hello ${person.userName}`)])
    for (const names of otherUpgrades)
      await front
        .ask('/timesheets/live', { headers: [...asking(...names.split('+')), cookie] })
        .catch(() => undefined)
    expect(upgrades().filter(value => value !== 'websocket')).toEqual([])
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
    for (const target of proxy === 'traefik'
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
      ...lookalikePrefixes.map(prefix => [prefix + pair]),
      ...otherCookieNames.map(name => [`${name}=${pair.split('=')[1]}`]),
      [` a${pair}`],
      [`a=1, ${pair}`],
      [pair.replace('=', ' =')],
    ]) {
      const headers = cookies.map(value => `Cookie: ${value}`)
      for (const target of ['/timesheets/', `${basePath}/api/session`])
        expect((await front.ask(target, { headers })).status, `${target} ${cookies}`).toBe(401)
    }
    expect(passed()).toEqual([])
  })

  it('passes a renewed cookie on', async () => {
    const { person, cookie } = await front.signedIn()
    const sql = 'UPDATE employees SET is_admin = true WHERE id = $1'
    await front.stage.store.query(sql, [person.employeeId])
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
    for (const one of passed()) {
      expect(identityIn(one).filter(([, value]) => value !== '')).toEqual([])
      expect(one.rawHeaders.join()).not.toMatch(/__Host-/i)
    }
    expect(passed().length).toBeGreaterThan(5)
  })

  if (proxy !== 'traefik')
    it('opens preflights of an API, and nothing else of it, if their lines are uncommented', async () => {
      const path = `${basePath === '' ? '/timesheets' : ''}/api/items`
      const headers = ['Origin: https://other.test', 'Access-Control-Request-Method: POST']
      const ask = async (method: string, target: string) =>
        (await front.ask(target, { method, headers })).status
      for (const target of ['/timesheets/', `${path}/..;/closed`, `${path}/%2e%2e/closed`])
        expect(await ask('OPTIONS', target), target).toBe(401)
      expect([await ask('GET', path), passed()]).toEqual([401, []])
      expect(await ask('OPTIONS', path)).toBe(200)
      expect(passed().map(request => [request.method, identityIn(request)])).toEqual([['OPTIONS', []]])
    })

  // The files of Caddy and Traefik name no address, so that they listen on all.
  if (proxy === 'nginx')
    it('serves visitors over IPv6', async () => {
      const { cookie } = await front.signedIn()
      const page = await front.ask('/timesheets/', { headers: [cookie], from: '::1' })
      expect(page.status).toBe(200)
      expect(passed()[0]?.headersDistinct['x-forwarded-for']).toEqual(['::1'])
      expect((await front.ask('/timesheets/', { port: front.ports.plain, from: '::1' })).status).toBe(308)
    })

  it('sends visitors of http to https', async () => {
    const { status, headers } = await front.ask('/timesheets/?a=b', { port: front.ports.plain })
    expect([301, 302, 307, 308]).toContain(status)
    const [location = ''] = values(headers, 'location')
    expect(location).toMatch(/^https:\/\/[\w.]+(:\d+)?\/timesheets\/\?a=b$/)
    expect(new URL(location).hostname).toBe(hosts[1])
  })

  it('logs each request, but no code, even while the handler is unavailable', async () => {
    const callbacks = ['', '/api'].map(path => `${basePath}${path}/auth/callback?code=c&state=s`)
    await front.withoutHandler(async () => {
      for (const target of callbacks) expect((await front.ask(target)).status).toBeGreaterThan(499)
    })
    for (const target of callbacks) expect([200, 400]).toContain((await front.ask(target)).status)
    const logged = proxy === 'traefik' ? /RouterName/g : /auth\/callback/g
    const lines = async () => (await front.readLog()).match(logged)?.length
    await expect.poll(lines).toBeGreaterThanOrEqual(4)
    expect(await front.readLog()).not.toMatch(/code=|state=/)
  })

  it('takes the session of a host on no other, whichever host a visitor names, and 421 answers a host of nobody', async () => {
    const person = await front.stage.hire()
    for (const own of hosts) {
      const visitor = front.visitor(own)
      expect((await visitor.signIn(person.account)).status, own).toBe(200)
      const cookie = cookieOf(visitor)
      const name = new URL(front.originOf(own)).host
      for (const forged of [
        [],
        [`X-Forwarded-Host: ${name}`],
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

  it('passes an upload of 20 MB while it is sent', async () => {
    const { cookie } = await front.signedIn()
    const { receivedBytes } = front.application
    const before = receivedBytes()
    async function* halves() {
      yield Buffer.alloc(halfBytes)
      await expect.poll(receivedBytes).toBe(before + halfBytes)
      yield Buffer.alloc(halfBytes)
    }
    const options = { method: 'POST', body: halves(), duplex: 'half' } as const
    expect((await front.open('/timesheets/upload', cookie, options)).status).toBe(200)
    expect(receivedBytes()).toBe(before + 2 * halfBytes)
  })

  it('passes uploads of any size, with a length and in chunks, over HTTP/1.1 and HTTP/2, and refuses them without a session', async () => {
    const { cookie } = await front.signedIn()
    const { receivedBytes } = front.application
    const open = { path: `${openPath}?upload`, cookie: '' }
    const own = { path: '/timesheets/upload', cookie: cookie.slice('Cookie: '.length) }
    for (const version of [1, 2] as const)
      for (const bytes of [900_000, 1_000_000, 1_100_000, 12_000_000])
        for (const hasLength of [true, false]) {
          const how = `${bytes} bytes over HTTP/${version}, ${hasLength ? 'with a length' : 'in chunks'}`
          for (const request of [own, open]) {
            const before = receivedBytes()
            expect(
              await front.upload({ ...request, version, bytes, hasLength }),
              `${request.path}, ${how}`,
            ).toBe(200)
            expect(receivedBytes() - before, how).toBe(bytes)
          }
          const before = receivedBytes()
          expect(await front.upload({ ...own, cookie: '', version, bytes, hasLength }), how).toBe(401)
          expect(receivedBytes() - before, how).toBe(0)
        }
  })

  it('costs the handler at most three times as much for blanks in a cookie as for letters', async () => {
    // Nanoseconds of the processor that the handler's main thread has had (proc_pid_schedstat).
    const spent = async () =>
      Number((await readFile(`/proc/${front.stage.pid}/schedstat`, 'utf8')).split(' ')[0])
    async function costOf(character: string): Promise<number> {
      const before = await spent()
      const cookie = `Cookie: __Host-homeport-session=a${character.repeat(31_000)}b`
      for (let request = 0; request < 10; request += 1) await front.ask('/timesheets/', { headers: [cookie] })
      return (await spent()) - before
    }
    const costs = { blank: Number.POSITIVE_INFINITY, letter: Number.POSITIVE_INFINITY }
    for (let round = 0; round < 5; round += 1) {
      costs.letter = Math.min(costs.letter, await costOf('x'))
      costs.blank = Math.min(costs.blank, await costOf(' '))
    }
    expect(costs.blank / costs.letter).toBeLessThan(3)
  })

  it('says that headers are too long, not that the service is unavailable', async () => {
    const { cookie } = await front.signedIn()
    const long = ['a', 'b', 'c'].map(name => `X-${name}: ${'x'.repeat(30_000)}`)
    for (const headers of [long, [`X-Long: ${'x'.repeat(40_000)}`]])
      for (const target of ['/timesheets/', openPath, `${basePath}/`]) {
        const { status, text } = await front.ask(target, { headers: [cookie, ...headers] })
        expect(status, target).toBeLessThan(500)
        expect(text, target).not.toContain('<h1>The service is unavailable')
      }
    const { status, text } = await front.ask(`/timesheets/${'x'.repeat(40_000)}`, { headers: [cookie] })
    expect(status).toBeLessThan(500)
    expect(text).not.toContain('<h1>The service is unavailable')
  })

  it('passes each part of a stream at once, and 16 KB of cookies that the application sets', async () => {
    const { cookie } = await front.signedIn()
    for (const type of ['text/event-stream', 'application/x-ndjson']) {
      const { body } = await front.open(`/timesheets/stream?${type}`, cookie)
      const parts = body?.pipeThrough(new TextDecoderStream()).getReader()
      for (const part of ['first', 'second']) {
        await front.ask(`/timesheets/next?${part}`, { headers: [cookie] })
        expect(await parts?.read(), type).toMatchObject({ value: `data: ${part}\n\n` })
      }
      await parts?.cancel()
    }
    const { status, headers } = await front.ask('/timesheets/cookies', { headers: [cookie] })
    expect([status, values(headers, 'set-cookie').length]).toEqual([200, 4])
  })

  it('lets nobody in while the store or the handler is unavailable', async () => {
    const { cookie } = await front.signedIn()
    const open = () => front.ask('/timesheets/', { headers: [cookie] })
    await front.stage.store.query('ALTER TABLE employees RENAME TO away')
    const withoutStore = await open()
    await front.stage.store.query('ALTER TABLE away RENAME TO employees')
    for (const { status, text, headers } of [withoutStore, await front.withoutHandler(open)]) {
      expect(proxy === 'traefik' ? [500, 503] : [503]).toContain(status)
      if (proxy === 'traefik') continue
      expect(text).toContain('<h1>The service is unavailable</h1>')
      expect(headers.join('\n')).toMatch(/^content-type: text\/html/m)
      expect(headers).toContain('cache-control: no-store')
      expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
      expect(text).toContain('color-scheme:light dark')
    }
    expect(passed()).toEqual([])
    expect((await open()).status).toBe(200)
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
