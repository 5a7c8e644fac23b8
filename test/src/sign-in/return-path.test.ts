import { describe, expect, it } from 'vitest'
import { StoreFailure } from '../../../src/employees/employee-store.ts'
import { returnPathIn } from '../../../src/pages/browser.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { isReturnPath, maxReturnBytes } from '../../../src/settings/return-path.ts'
import { pathsOfHandler, refusedReturnPaths } from '../../support/forgeries.ts'
import { fc, runs } from '../../support/random.ts'
import { candidate, type InProcess, pairOf, sessionState, startInProcess } from '../support/in-process.ts'

const bases = ['', '/_homeport'] as const

const redirectUriBelow = (base: string) => `https://people.example.com${base}/auth/callback`

const usable = (base: string) => [
  '/timesheets/',
  '/timesheets/?week=47&return=/x#day-2',
  '/timesheets/a%20b?next=https://other.example//x',
  '/a//b',
  `${base}/dashboard`,
  `${base}/apiary/`,
  '/zeit/übersicht',
  `${base}/auth/callback2`,
  `/${'a'.repeat(maxReturnBytes - 1)}`,
  ...(base === ''
    ? []
    : pathsOfHandler('')
        .map(path => path || '/')
        .filter(path => !path.startsWith('//'))),
]

const startingWith = (path: string) => `?${new URLSearchParams({ return: path })}`

describe.each(bases)('with the base path %j, a path to return to', base => {
  it('is used as it is, and is not in the URL of the provider', async () => {
    for (const path of usable(base)) expect(isReturnPath(path, redirectUriBelow(base), base), path).toBe(true)
    const path = '/timesheets/?week=47&return=/x#day-2'
    const app = startInProcess({ BASE_PATH: base })
    const { url, cookie, callback } = await app.start(startingWith(path))
    expect(url).not.toContain('timesheets')
    expect(cookie).not.toContain('timesheets')
    const answer = await app.call(callback, cookie)
    const user = { username: 'ada', resourceId: 'E1', isAdmin: false }
    expect(await answer.text()).toBe(JSON.stringify({ user, return: path }))
  })

  it('is refused if it leads elsewhere', async () => {
    const app = startInProcess({ BASE_PATH: base })
    for (const path of refusedReturnPaths(base)) {
      expect(isReturnPath(path, redirectUriBelow(base), base), path).toBe(false)
      const answer = await app.call(`/api/auth/login-url${startingWith(path)}`)
      expect(await answer.json(), path).toMatchObject({ code: 'return-invalid', status: 400 })
      expect(answer.headers.getSetCookie()).toEqual([])
    }
  })

  it('is not the redirect URI, wherever that is', () => {
    const uri = 'https://people.example.com/elsewhere/callback'
    expect(isReturnPath('/elsewhere/callback/', uri, base)).toBe(false)
    expect(isReturnPath(`${base}/auth/callback`, uri, base)).toBe(true)
  })
})

/** Parts of paths that proxies, routers and browsers read differently. */
const parts = [
  ...[
    '/',
    '//',
    '/.',
    '/..',
    '.',
    '..',
    '/.//',
    '/x/..//',
    ';',
    '?',
    '&',
    '@',
    ':',
    'x',
    'api',
    'evil.example',
  ],
  ...['%2e', '%2f', '..%2f', '%252e%252e', '%252f', '%25', '25', '%5c', '\\', '%09', '%0a'],
]
const randomPaths = fc
  .array(fc.constantFrom(...parts), { minLength: 2, maxLength: 8 })
  .map(chosen => `/${chosen.join('')}`)

it.each(bases)('with the base path %j, no random path leads to another host or into the API', async base => {
  const app = startInProcess({ BASE_PATH: base, AUTO_SIGN_IN: 'true' })
  const { session } = await app.signIn()
  const page = `https://people.example.com${base}/auth/callback`
  function expectOwn(sent: string, given: string) {
    const url = new URL(sent, page)
    expect(url.origin, given).toBe('https://people.example.com')
    // As the first proxy or router resolves it, which takes `//` for another host, or merges it.
    expect(url.pathname, given).not.toMatch(/^\/\//)
    expect(`${url.pathname}/`, given).not.toMatch(new RegExp(`^${base}/api/`))
  }
  // More than 20,000 different ones in the stage `long` of .ci/run.
  const tried = new Set(fc.sample(randomPaths, runs(3000)))
  let followed = 0
  let returned = 0
  for (const path of tried) {
    if (!isReturnPath(path, page, base)) continue
    const { headers } = await app.call(`/?return=${path}`, session)
    const location = headers.get('location')
    if (location === null) continue
    followed += 1
    expectOwn(location, path)
    // A sign-in takes ten times as long.
    if (followed % 16 > 0) continue
    const { cookie, callback } = await app.start(startingWith(path))
    const body = (await (await app.call(callback, cookie)).json()) as { readonly return: string }
    returned += 1
    expectOwn(body.return, path)
  }
  expect(followed).toBeGreaterThan(tried.size / 10)
  expect(returned).toBeGreaterThan(tried.size / 100)
})

describe('a path to return to', () => {
  it('is decoded once', async () => {
    const app = startInProcess()
    const { cookie, callback } = await app.start('?return=/a%2520b')
    expect(await (await app.call(callback, cookie)).json()).toMatchObject({ return: '/a%20b' })
    const twice = await app.call('/api/auth/login-url?return=%252Ftimesheets%252F')
    expect(await twice.json()).toMatchObject({ code: 'return-invalid' })
  })

  it('is in the answer to a repeated callback too, on this instance and another', async () => {
    const env = { SESSION_KEYS: createSessionKey(new Date()) }
    const app = startInProcess(env)
    const { cookie, callback } = await app.start(startingWith('/timesheets/'))
    const answer = await app.call(callback, cookie)
    const session = pairOf(answer.headers.getSetCookie()[0])
    const body = await answer.json()
    for (const instance of [app, startInProcess(env)]) {
      expect(await (await instance.call(callback, session)).json()).toEqual(body)
    }
  })

  it.each(['a', '"', '\u2028'])('can have 1,500 bytes of %j', async character => {
    const app = startInProcess()
    const path = `/${character.repeat(Math.floor(1499 / new TextEncoder().encode(character).length))}`
    const { cookie, callback } = await app.start(startingWith(path))
    const answer = await app.call(callback, cookie)
    expect(await answer.json()).toMatchObject({ return: path })
    const [session = ''] = answer.headers.getSetCookie()
    expect(session.length).toBeLessThan(4096)
    expect((await app.call('/api/session', pairOf(session))).status).toBe(200)
  })
})

describe('the sign-in page with a path to return to', () => {
  async function open(app: InProcess, path: string, cookie = '') {
    const { status, headers } = await app.call(path, cookie)
    return [status, headers.get('location')]
  }
  it('redirects a signed-in visitor', async () => {
    const app = startInProcess()
    const { session } = await app.signIn()
    const path = '/timesheets/?week=47&x=%20'
    expect(await open(app, `/?return=${path}`, session)).toEqual([302, path])
    expect(await open(app, '/', session)).toEqual([200, null])
  })

  it('redirects a session to the same path three times in ten seconds, and then sends a page', async () => {
    const app = startInProcess()
    const { session } = await app.signIn()
    const { session: other } = await app.signIn('another')
    const to = (path: string, cookie = session) => open(app, `/?return=${path}`, cookie)
    for (let times = 0; times < 3; times += 1) expect(await to('/a')).toEqual([302, '/a'])
    expect(await to('/a')).toEqual([200, null])
    expect(await (await app.call('/?return=/a', session)).text()).toContain('did not keep your session')
    expect([await to('/b'), await to('/a', other)]).toEqual([
      [302, '/b'],
      [302, '/a'],
    ])
    app.now += 10_000
    expect(await to('/a')).toEqual([302, '/a'])
  })

  it('ignores a path that leads elsewhere', async () => {
    const app = startInProcess()
    const { session } = await app.signIn()
    for (const path of refusedReturnPaths('').filter(path => !/[\s#]/.test(path)))
      expect(await open(app, `/?return=${path}`, session), path).toEqual([200, null])
  })

  it('redirects nobody whom the forward route refuses, so there is no loop', async () => {
    const app = startInProcess({ SESSION_LIFETIME: '1h' })
    const { session } = await app.signIn()
    async function expectPage(cookie: string) {
      expect((await app.call('/api/auth/forward', cookie)).status).not.toBe(204)
      expect(await open(app, '/?return=/timesheets/', cookie)).toEqual([200, null])
    }
    await expectPage('')
    await expectPage('__Host-homeport-session=k1.forged')
    const employee = { ...candidate, isActive: false }
    app.employees.checkSession = async () => ({ ...sessionState, employee })
    await expectPage(session)
    app.employees.checkSession = () => Promise.reject(new StoreFailure('timeout'))
    await expectPage(session)
    app.employees.checkSession = async () => sessionState
    expect((await app.call('/api/auth/forward', session)).status).toBe(204)
    app.now += 3_600_000
    await expectPage(session)
  })
})

it.each([
  ['?return=/timesheets/?week=47&day=2', '/timesheets/?week=47&day=2'],
  ['?return=/a?x=1&return=/b', '/a?x=1&return=/b'],
  ['?another&return=/a', '/a'],
  ['?return=/a%20b%2Fc', '/a%20b%2Fc'],
  ['?returned=/a', null],
  ['?x=return=/a', null],
  ['', null],
])('the sign-in page takes the rest of the query %s as it is', (search, path) => {
  expect(returnPathIn(search)).toBe(path)
})

it('AFTER_SIGN_IN_URL, APP_NAME and LEGACY_LOGIN_URL are in the pages, escaped', async () => {
  const app = startInProcess({
    AFTER_SIGN_IN_URL: '/a</script>',
    APP_NAME: '<b>"Zeit" & mehr',
    LEGACY_LOGIN_URL: '/old?a=1&b="><b>&lt;',
  })
  for (const path of ['/', '/auth/callback', '/dashboard']) {
    const page = await (await app.call(path)).text()
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page.match(/<\/script/g)).toHaveLength(1)
    expect(page).not.toContain('<b>')
  }
  const page = await (await app.call('/')).text()
  expect(page).toContain('&lt;b>&quot;Zeit&quot; &amp; mehr')
  const dashboard = await (await app.call('/dashboard')).text()
  expect(dashboard).toContain('href="/a&lt;/script>">Continue to &lt;b>&quot;Zeit&quot; &amp; mehr</a>')
  expect(await (await startInProcess().call('/dashboard')).text()).not.toContain('Continue')
  expect(page).toContain('<a href="/old?a=1&amp;b=&quot;>&lt;b>&amp;lt;">Use the old login</a>')
})
