import { expect, it } from 'vitest'
import { verifyAssertion } from '../support/assertion.ts'
import { forgedHeaders } from '../support/forgeries.ts'
import type { Response } from '../support/send.ts'
import { type Front, identityIn } from './front.ts'

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
    const [, token = ''] = passed.headers.find(([name]) => /assertion/i.test(name)) ?? []
    const keys = await front.ask(`${front.basePath}/.well-known/jwks.json`)
    expect(verifyAssertion(token, JSON.parse(keys.text))).toBe(true)
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

  it.each(forgedHeaders)('lets nobody in, and changes nobody’s identity, by %s', async (_, ...headers) => {
    await front.ask('/timesheets/', { headers }).catch(() => undefined)
    expect(front.passed()).toEqual([])
    const { person, cookie } = await front.signedIn()
    await front.ask('/timesheets/', { headers: [cookie, ...headers] }).catch(() => undefined)
    expect(front.passed().length).toBeLessThanOrEqual(1)
    for (const passed of front.passed()) {
      expect(identityIn(passed)).toEqual(front.identityOf(person, false))
    }
  })

  it('sends a visitor without a session to sign in, and back to the page', async () => {
    const answer = await front.ask('/timesheets/week?n=47&x=%2F', { headers: navigation })
    expect(answer.status).toBe(302)
    const location = answer.headers.find(header => header.startsWith('location: '))
    expect(location?.replace(/(?<=: )http:\/\/[\w.]+(:\d+)?/, '')).toBe(
      `location: ${front.basePath}/?return=/timesheets/week?n=47&x=%2f`,
    )
    expect(answer.headers).toContain('cache-control: no-store')
  })

  it('returns people to the page that they came from, and to no other host', async () => {
    const { cookie } = await front.signedIn()
    const target = `${front.basePath}/?return=`
    const headers = [cookie, ...navigation]
    const page = await front.ask(`${target}/timesheets/?week=47`, { headers })
    expect([page.status, page.headers]).toEqual([
      302,
      expect.arrayContaining(['location: /timesheets/?week=47']),
    ])
    for (const path of ['//evil.test/', '/%2Fevil.test/', '/x/..//evil.test/']) {
      const answer = await front.ask(target + path, { headers })
      expect([answer.status, answer.headers.join()], path).toEqual([
        200,
        expect.not.stringContaining('location'),
      ])
    }
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
      const { status } = await front.ask(
        `${front.basePath}/api/auth/callback?code=junk-${index}&state=${state}`,
        // An address that no other test sends from, as the limit counts each for itself.
        { headers: [cookie, `X-Forwarded-For: 198.51.100.${index}`], from: '127.0.0.30' },
      )
      statuses.push(status)
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < 30 ? 401 : 429)))
  })
}
