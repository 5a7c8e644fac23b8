import { describe, expect, it } from 'vitest'
import { findTraefik } from '../../tools/traefik.ts'
import { identityIn, startFront } from './front.ts'
import { confusingTargets, forgeries, navigation, testProtection } from './protection.ts'

const program = await findTraefik()
const unbuilt = 'not built: `npm run test:proxies -- traefik` builds it'
if (program === null) process.stderr.write(`Traefik did not run: ${unbuilt}.\n`)

it.skipIf(program === null)(`Traefik can run here${program === null ? ` (${unbuilt})` : ''}`, () => {
  expect(program).not.toBeNull()
})

/** Spellings of the check's path. The handler would answer some of them. */
const spellings = [
  '/_homeport/api/auth/forward',
  '/_homeport/api/auth/forward?navigate=redirect&cookie=rest',
  '/_homeport/api/auth/forward/',
  '/_homeport/api/auth/forward;a=b',
  '/_homeport/api/auth//forward',
  '//_homeport/api/auth/forward',
  '/_homeport/api/auth/./forward',
  '/_homeport/api/auth/session/../forward',
  '/_homeport/api/auth/session/%2e%2e/forward',
  '/_homeport/api/auth/session/..%2fforward',
  '/_homeport/api/auth/session/..\\forward',
  '/_homeport/api/auth%2fforward',
  '/_homeport/api/auth/%66orward',
  '/_homeport/api/auth/%2566orward',
  '/%5fhomeport/api/auth/forward',
  '/_homeport/api/auth/forward%00',
  '/_homeport/api/auth/forward%3fcookie=rest',
  'http://localhost/_homeport/api/auth/forward',
  '/x/../_homeport/api/auth/forward',
]

const openPath = '/.well-known/acme-challenge'

const besideOpenPaths: readonly (readonly [string, string])[] = [
  ['the folder of an open path', `${openPath}/`],
  ['below an open path', '/manifest.webmanifest/timesheets/'],
  ['a file beside', '/manifest.webmanifest2'],
]

if (program !== null)
  describe('Traefik, as the document configures it,', () => {
    const front = startFront({ name: 'traefik', program, basePath: '/_homeport' })

    it.each(spellings)('answers nobody who asks for the check itself: %s', async target => {
      const { cookie } = await front.signedIn()
      const { status, headers } = await front.ask(target, { headers: [`${cookie}; theme=dark`] })
      expect([400, 404]).toContain(status)
      expect(headers.join('\n')).not.toMatch(/homeport|theme/)
      expect(front.passed()).toEqual([])
    })

    it('protects the whole host, also paths that the handler has on a host of its own', async () => {
      const { cookie } = await front.signedIn()
      const targets = [
        '/',
        '/dashboard',
        '/api/session',
        '/api/auth/session',
        '/api/auth/forward',
        '/healthz',
      ]
      for (const target of targets) {
        expect((await front.ask(target)).status, target).toBe(401)
        expect((await front.ask(target, { headers: [cookie] })).text, target).toBe('the application')
      }
      expect(front.passed().map(({ target }) => target)).toEqual(targets)
    })

    it('answers a page’s fetch and a frame with 401, and a form with the way to sign in', async () => {
      for (const [mode, destination] of [
        ['cors', 'empty'],
        ['navigate', 'iframe'],
      ]) {
        const headers = [`Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${destination}`, 'Accept: text/html']
        expect((await front.ask('/timesheets/', { headers })).status).toBe(401)
      }
      const form = [...navigation, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3']
      const posted = await front.ask('/timesheets/', { method: 'POST', headers: form, body: 'a=b' })
      expect([posted.status, posted.headers.find(header => header.startsWith('location: '))]).toEqual([
        303,
        'location: /_homeport/?return=/timesheets/',
      ])
      expect(front.passed()).toEqual([])
    })

    it('believes no visitor about what they asked for', async () => {
      for (const forged of ['X-Forwarded-', 'X_Forwarded_', 'X.Forwarded.']) {
        const headers = ['Uri: /else', 'Method: POST', 'Host: evil.test', 'Proto: http', 'Prefix: /else']
        const answer = await front.ask('/timesheets/', {
          headers: [...navigation, ...headers.map(header => `${forged}${header}`)],
        })
        expect([answer.status, answer.headers.find(header => header.startsWith('location: '))]).toEqual([
          302,
          'location: /_homeport/?return=/timesheets/',
        ])
      }
    })

    it('passes WebSockets of people who are signed in', async () => {
      const upgrade = [
        'Connection: close, Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]
      expect((await front.ask('/live', { headers: upgrade })).status).toBe(401)
      expect(front.passed()).toEqual([])
      const { person, cookie } = await front.signedIn()
      expect((await front.ask('/live', { headers: [...upgrade, cookie] })).status).toBe(101)
      expect(front.passed().flatMap(identityIn)).toContainEqual(['x_homeport_username', person.userName])
    })

    it('upgrades to nothing but WebSockets', async () => {
      const { cookie } = await front.signedIn()
      for (const names of [['h2c'], ['other'], ['h2c', 'websocket'], ['other, websocket']]) {
        const upgrade = ['Connection: close, Upgrade', ...names.map(name => `Upgrade: ${name}`)]
        await front.ask('/live', { headers: [...upgrade, cookie] }).catch(() => undefined)
        await front.ask('/manifest.webmanifest', { headers: upgrade })
      }
      await front.ask('/manifest.webmanifest', {
        headers: ['Connection: close, Upgrade', 'Upgrade: websocket'],
      })
      const upgrades = front
        .passed()
        .flatMap(({ headers }) => headers.filter(([name]) => /^upgrade$/i.test(name)))
      expect([front.passed().length, upgrades]).toEqual([9, []])
    })

    it('lets no cookies of others lock anybody out', async () => {
      const { cookie } = await front.signedIn()
      const others = Array.from({ length: 16 }, (_, index) => `other${index}=${'x'.repeat(1000)}`).join('; ')
      const headers = [`${cookie}; ${others}`]
      expect((await front.ask('/timesheets/', { headers })).status).toBe(200)
      expect((await front.ask('/_homeport/api/session', { headers })).status).toBe(200)
    })

    it('passes a renewed cookie on', async () => {
      const { person, cookie } = await front.signedIn()
      const sql = 'UPDATE employees SET is_admin = true WHERE id = $1'
      await front.stage().store.query(sql, [person.employeeId])
      const { headers } = await front.ask('/timesheets/', { headers: [cookie] })
      expect(headers.filter(header => header.startsWith('set-cookie: '))).toEqual([
        expect.stringMatching(/^set-cookie: __host-homeport-session=[^;]+; path=\//),
      ])
    })

    it.each(['/manifest.webmanifest', `${openPath}/token-1`])(
      'opens %s to everybody, without identity or cookies',
      async path => {
        const { cookie } = await front.signedIn()
        const forged = forgeries.flatMap(([, ...headers]) =>
          headers.filter(header => /homeport/i.test(header)),
        )
        for (const headers of [[], [cookie], ...forged.map(header => [cookie, header])]) {
          await front.ask(path, { headers })
        }
        for (const passed of front.passed()) {
          expect(identityIn(passed)).toEqual([])
          expect(passed.headers.filter(([name]) => /^cookie$/i.test(name))).toEqual([])
        }
        expect(front.passed().length).toBeGreaterThan(5)
      },
    )

    it.each([...confusingTargets(openPath), ...besideOpenPaths])(
      'opens nothing else: %s',
      async (_, target) => {
        await front.ask(target).catch(() => undefined)
        expect(front.passed()).toEqual([])
      },
    )

    it('sends visitors of http to https', async () => {
      const { plain, port } = front.proxy()
      const { status, headers } = await front.ask('/timesheets/?a=b', { port: plain })
      expect([301, 302, 307, 308]).toContain(status)
      expect(headers).toContain(`location: https://localhost:${port}/timesheets/?a=b`)
    })

    it('logs each request, but no code', async () => {
      await front.signedIn()
      await expect.poll(() => front.proxy().output()).toMatch(/"RouterName":"homeport@file"/)
      expect(front.proxy().output()).not.toMatch(/code=/)
    })

    testProtection(front, ({ status }) => {
      expect([500, 503]).toContain(status)
    })
  })
