import { describe, expect, it } from 'vitest'
import { otherCookies } from '../../../src/http/cookies.ts'
import { routes } from '../../../src/routes.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { sessionState, startInProcess } from '../support/in-process.ts'

type Fields = Readonly<Record<string, string>>

const page: Fields = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** Starts the handler in this process. Returns how a proxy asks it, trusted unless `trusted` is false. */
function startFor(base: string) {
  const app = startInProcess({ BASE_PATH: base })
  return async (headers: Fields, { query = '?navigate=redirect', trusted = true } = {}) => {
    const answer = await app.call(routes.forward + query, '', { headers, trusted })
    return { status: answer.status, location: answer.headers.get('location'), headers: answer.headers }
  }
}

describe('an application behind a proxy', () => {
  it.each([
    ['E1', 'E1'],
    ['HR/4:1+%&', 'HR/4:1+%25&'],
    ['№ 7\nx-homeport-is-admin: 1', '%E2%84%96%207%0Ax-homeport-is-admin:%201'],
  ])('gets the name percent-encoded, and the id %j encoded only where needed', async (id, sent) => {
    const employee = { id, userName: 'zoë', isActive: true, isAdmin: false }
    const app = startInProcess({}, { checkSession: async () => ({ ...sessionState, employee }) })
    const { session } = await app.signIn()
    // The headers of a visitor who followed a link from another site.
    const headers = { ...page, 'sec-fetch-site': 'cross-site' }
    const answer = await app.call(routes.forward, session, { headers })
    expect(answer.status).toBe(204)
    const given = [...answer.headers].filter(([name]) => name.startsWith('x-homeport'))
    expect(Object.fromEntries(given)).toEqual({
      'x-homeport-username': 'zo%C3%AB',
      'x-homeport-resource-id': sent,
      'x-homeport-is-admin': '0',
    })
  })
})

describe.each(['', '/_homeport'])('with the base path %j, forward?navigate=redirect', base => {
  const ask = startFor(base)
  const uri = '/grafana/d/1?from=now'
  // Without a base path, `/` is the sign-in page, so nobody can be sent back there.
  const home = `${base}/?form&return=${base === '' ? '' : '/'}`

  it.each<[string, Fields, number]>([
    ['a page', page, 302],
    ['a page of an old browser', { accept: 'text/html,*/*;q=0.8' }, 302],
    ['HEAD', { ...page, 'x-forwarded-method': 'HEAD' }, 302],
    ['a form', { ...page, 'x-forwarded-method': 'POST' }, 303],
    ['a form of an old browser', { accept: 'text/html', 'x-forwarded-method': 'POST' }, 303],
    ['PUT', { ...page, 'x-forwarded-method': 'PUT' }, 401],
    ['a method in lower case', { ...page, 'x-forwarded-method': 'get' }, 401],
    ['a frame', { ...page, 'sec-fetch-dest': 'iframe' }, 401],
    ['fetch', { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: 'text/html' }, 401],
    ['an image', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, 401],
    ['a WebSocket', { 'sec-fetch-mode': 'websocket', 'sec-fetch-dest': 'empty' }, 401],
    ['a mode alone', { 'sec-fetch-mode': 'navigate', accept: 'text/html' }, 401],
    ['a destination alone', { 'sec-fetch-dest': 'document', accept: 'text/html' }, 401],
    ['a page fetched in advance', { ...page, 'sec-purpose': 'prefetch;prerender' }, 401],
    ['a program', { accept: '*/*' }, 401],
    ['nothing', {}, 401],
  ])('answers %s', async (_, headers, status) => {
    const answer = await ask({ 'x-forwarded-uri': uri, ...headers })
    expect([answer.status, answer.location]).toEqual([
      status,
      status === 401 ? null : status === 303 ? home : `${base}/?return=${uri}`,
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    if (status !== 401)
      expect(answer.headers.get('vary')).toBe('Accept, Sec-Fetch-Mode, Sec-Fetch-Dest, Sec-Purpose, Cookie')
  })

  it('returns only to paths outside the handler’s own, and believes only a trusted proxy', async () => {
    const hostile = [
      '//evil.example',
      'https://evil.example/',
      '/\\evil.example',
      '/a b\\',
      '',
      `${base}/api/x`,
      `${base}/`,
    ]
    for (const asked of hostile)
      expect((await ask({ ...page, 'x-forwarded-uri': asked })).location, asked).toBe(`${base}/?return=`)
    expect((await ask({ ...page, 'x-forwarded-uri': '/zeit/übersicht' })).location).toBe(
      `${base}/?return=/zeit/%C3%BCbersicht`,
    )
    const forged = {
      ...page,
      'x-forwarded-uri': uri,
      'x-forwarded-method': 'POST',
      'x-forwarded-host': 'evil.example',
    }
    const location = `${base}/?return=`
    expect(await ask(forged, { trusted: false })).toMatchObject({ status: 302, location })
    expect((await ask(forged)).location).toBe(home)
  })

  it.each([
    ['https://people.example.com/tickets/7?tab=2#note', '/tickets/7?tab=2'],
    ['https://people.example.com/zeit/%C3%BCbersicht', '/zeit/%C3%BCbersicht'],
    ...[
      'https://evil.example/tickets/7',
      'http://people.example.com/tickets/7',
      'https://people.example.com.evil.example/tickets/7',
      'https://people.example.com:8443/tickets/7',
      `https://people.example.com${base}/api/session`,
      `https://people.example.com${base}/`,
      'https://people.example.com//evil.example/',
      '/tickets/7',
      '',
    ].map(referer => [referer, null]),
  ])('returns a form that was sent from %j to %j', async (referer, path) => {
    const form = { ...page, 'x-forwarded-method': 'POST', 'x-forwarded-uri': '/tickets/7/delete' }
    expect(await ask({ ...form, referer: referer ?? '' })).toMatchObject({
      status: 303,
      location: path === null ? home : `${base}/?form&return=${path}`,
    })
  })

  it.each([
    { 'content-type': 'application/x-www-form-urlencoded' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { origin: 'https://people.example.com' },
    { origin: 'null' },
  ])('knows a form by %j if no trusted proxy says the method', async headers => {
    const form = { ...page, ...headers, referer: 'https://people.example.com/tickets/7' }
    const location = `${base}/?form&return=/tickets/7`
    expect(await ask(form, { trusted: false })).toMatchObject({ status: 303, location })
    expect(await ask({ ...form, 'x-forwarded-method': 'GET' })).toMatchObject({ status: 302 })
    expect(await ask({ ...form, 'sec-fetch-dest': 'iframe' }, { trusted: false })).toMatchObject({
      status: 401,
    })
  })

  it('is asked for in exactly these words', async () => {
    for (const query of ['', '?navigate', '?navigate=true', '?navigate=REDIRECT', '?Navigate=redirect'])
      expect((await ask(page, { query })).status).toBe(401)
  })
})

describe('forward?cookie=rest', () => {
  it('answers with the visitor’s other cookies, and only then', async () => {
    const app = startInProcess()
    const { session } = await app.signIn()
    const sent = `theme=dark; ${session}; __HOST-Homeport-session=x; id="a=b"`
    const answer = await app.call(`${routes.forward}?cookie=rest`, sent)
    expect([answer.status, answer.headers.get('cookie')]).toEqual([204, 'theme=dark; id="a=b"'])
    for (const query of ['', '?cookie', '?cookie=all'])
      expect((await app.call(routes.forward + query, sent)).headers.get('cookie')).toBeNull()
    expect((await app.call(`${routes.forward}?cookie=rest`, session)).headers.get('cookie')).toBeNull()
    expect((await app.call(`${routes.forward}?cookie=rest`, 'theme=dark')).headers.get('cookie')).toBeNull()
  })

  it.each([
    [null, null],
    ['', null],
    [' ; ;', null],
    ['a=1', 'a=1'],
    ['a=1;b=2', 'a=1; b=2'],
    ['a=1; __Host-homeport-session=s; b=2', 'a=1; b=2'],
    ['\u00a0__Host-homeport-session=s; a=1', 'a=1'],
    ['a="__Host-homeport-session=s"; b', 'b'],
  ])('keeps of %j %j', (header, rest) => {
    expect(otherCookies(header)).toBe(rest)
  })
})

it('EMAIL_HEADER adds the address of a sign-in, and only while it is set, at the sign-in too', async () => {
  const keys = { SESSION_KEYS: createSessionKey(new Date()) }
  const [on, off] = [startInProcess({ ...keys, EMAIL_HEADER: 'true' }), startInProcess(keys)]
  for (const [at, signedInAt, expected] of [
    [on, on, 'ada@example.com'],
    [on, off, null],
    [off, on, null],
  ] as const) {
    const { session } = await signedInAt.signIn()
    const answer = await at.call(routes.forward, session)
    expect([answer.status, answer.headers.get('x-homeport-email')]).toEqual([204, expected])
    expect(await (await at.call(routes.session, session)).json()).toEqual({
      user: { username: 'ada', resourceId: 'E1', isAdmin: false },
    })
  }
})
