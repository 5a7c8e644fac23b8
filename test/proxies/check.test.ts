import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../sandbox/http/certificates.ts'
import type { FaultAnswer } from '../../sandbox/http/faults.ts'
import { Entra } from '../../sandbox/testing/entra.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { freshBundle } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { createMigratedDatabase } from '../src/support/databases.ts'
import { startNode } from '../support/command.ts'
import { type Handler, startHandler } from '../support/handler.ts'
import { handlerSettings } from '../support/handler-settings.ts'
import { preload } from '../support/host.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { startApplication } from './application.ts'
import { type Edit, startNginxHost } from './running.ts'

type Variables = Readonly<Record<string, string>>

const host = 'people.example.com'
const redirectUri = `https://${host}/_homeport/auth/callback`

let authority: Authority
let entra: Entra
let application: Awaited<ReturnType<typeof startApplication>>
let handler: Handler
let settings: Variables
let handlerPort: number
/** The proxy as the document configures it. */
let proxy: string
const stops: (() => Promise<unknown>)[] = []

/** Starts nginx by the document for a whole host, with TLS, and returns its URL. */
async function startNginx(edits: readonly Edit[] = [], certificate = authority.issue(host)): Promise<string> {
  const folder = temporaryFolder()
  const own = await freePort()
  await writeFile(join(folder, 'cert.pem'), certificate.cert)
  await writeFile(join(folder, 'key.pem'), certificate.key)
  const { stop } = await startNginxHost({ own, application: application.port }, [
    [/127\.0\.0\.1:8080/g, `127.0.0.1:${handlerPort}`],
    [/ssl_certificate \S+;/, `ssl_certificate ${folder}/cert.pem;`],
    [/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/key.pem;`],
    [/# ("~\^\[A-Z\]\+ \/health)/, '$1'],
    ...edits,
  ])
  stops.push(stop)
  return `https://127.0.0.1:${own}`
}

/** Runs the check. Returns its status, and the subjects of the lines that are wrong, and of those that are not checked. */
async function check(env: Variables = {}, { from = proxy, args = [] as readonly string[] } = {}) {
  const ca = join(temporaryFolder(), 'ca.pem')
  await writeFile(ca, authority.pem)
  const given: Variables = { ...settings, NODE_EXTRA_CA_CERTS: ca, ...env }
  const { status, stdout, stderr } = await startNode(
    [freshBundle('server'), 'check', '--from', from, ...args],
    given,
  ).ended
  const found = (finding: string) =>
    stdout
      .split('\n')
      .flatMap(line => (line.startsWith(`${finding} `) ? [line.slice(13).split(': ')[0]] : []))
  for (const secret of [
    ...(given['CLIENT_SECRET'] ?? '').split(','),
    ...(given['SESSION_KEYS'] ?? '').split(':').slice(1),
  ])
    expect(stdout).not.toContain(secret)
  return { status, stderr, stdout, wrong: found('wrong'), unknown: found('not checked') }
}

beforeAll(async () => {
  authority = await createAuthority()
  entra = await Entra.start({ redirectUris: [redirectUri] })
  application = await startApplication()
  handlerPort = await freePort()
  settings = {
    ...handlerSettings(entra.description, redirectUri),
    BASE_PATH: '/_homeport',
    AUTO_SIGN_IN: 'true',
    REQUIRE_STATE: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: (
      await createMigratedDatabase("INSERT INTO employees (id, user_name) VALUES ('1', 'alice')")
    ).href,
  }
  handler = await startHandler({ env: { ...settings, PORT: String(handlerPort) } })
  proxy = await startNginx()
})
afterAll(async () => {
  for (const stop of stops) await stop()
  await handler?.stop()
  application?.close()
  await entra?.close()
})

it('finds nothing wrong where nothing is, asks Entra one thing once, and counts what it does not know', async () => {
  entra.clearRequests()
  const result = await check()
  expect(result).toMatchObject({ status: 0, stderr: '', wrong: [] })
  expect(result.unknown).toEqual(['credential', `health of https://${host}`])
  expect(result.stdout).toMatch(/^ok +employees: 1 employee, 1 active, 0 administrators\.$/m)
  expect(result.stdout).toMatch(/^ok +certificate .*: It expires on \d{4}-\d\d-\d\d, in \d+ days\.$/m)
  expect(result.stdout).toMatch(/^ok +protection .*try others by hand/m)
  expect(result.stdout).toMatch(/^0 wrong, \d+ ok, 2 not checked\.$/m)
  expect(entra.requests.map(({ path }) => path.split('/').at(-1)).sort()).toEqual([
    'authorize',
    'me',
    'openid-configuration',
    'token',
  ])
})

it('exits with 2 if it cannot run', async () => {
  const port = String(application.port)
  for (const [args, says] of [
    [['--form', 'x'], '--form'],
    [['--from', 'people.example.com'], '--from'],
    [['--echo', port], '--echo'],
    [['--echo', port, '/health'], 'EADDRINUSE'],
  ] as const)
    expect(await check({}, { args })).toMatchObject({ status: 2, stdout: expect.stringContaining(says) })
})

describe('a mistake is named by its line, and by no other', () => {
  const atDiscovery = (answer: FaultAnswer) =>
    entra.setFaults([{ match: { service: 'entra', path: 'openid-configuration$' }, times: null, answer }])

  it.each<[mistake: string, about: RegExp, plant: () => Variables, says?: string]>([
    [
      'tenant of another cloud',
      /^tenant$/,
      () => {
        atDiscovery({
          kind: 'alter',
          body: { issuer: `https://login.microsoftonline.us/${randomUUID()}/v2.0` },
        })
        return { TENANT_ID: 'example.com' }
      },
    ],
    [
      'Graph of another cloud',
      /^tenant$/,
      () => {
        atDiscovery({ kind: 'alter', body: { msgraph_host: 'graph.microsoft.us' } })
        return {}
      },
    ],
    ['unknown tenant', /^tenant$/, () => ({ TENANT_ID: randomUUID() })],
    ['client ID of another tenant', /^application$/, () => ({ CLIENT_ID: randomUUID() })],
    [
      'client ID of another application',
      /^redirect URI/,
      () => {
        const appId = randomUUID()
        const web = { redirectUris: ['https://other.example.com/callback'] }
        const lists = { owners: [], passwords: [] }
        entra.control.setState({
          entra: { applications: [{ id: appId, appId, displayName: 'x', web, ...lists }] },
        })
        return { CLIENT_ID: appId }
      },
    ],
    ['secret’s ID', /^settings$/, () => ({ CLIENT_SECRET: randomUUID() })],
    [
      'expired secret',
      /^credential$/,
      () => {
        entra.setSecrets([entra.description.clientSecret], ['an-old-secret'])
        return { CLIENT_SECRET: 'an-old-secret' }
      },
      'The answer is 401, AADSTS7000222. It has expired.',
    ],
    [
      'second secret that is wrong',
      /^credential 2 of 2$/,
      () => ({ CLIENT_SECRET: `${settings['CLIENT_SECRET']},another-secret` }),
      'AADSTS7000215. It is not a secret of this application',
    ],
    ['redirect URI with a slash too many', /^redirect URI/, () => ({ REDIRECT_URI: `${redirectUri}/` })],
    [
      'clock that is off by seven minutes',
      /^clock$/,
      () => preload('const now = Date.now; Date.now = () => now() - 420_000'),
    ],
    ['key of another server', /^keys of/, () => ({ SESSION_KEYS: createSessionKey(new Date()) })],
  ])('%s', async (_, about, plant, says = '') => {
    const result = await check(plant())
    entra.setFaults([])
    expect(result.wrong, result.stdout).toEqual([expect.stringMatching(about)])
    expect(result.stdout).toContain(says)
    expect(result).toMatchObject({ status: 1, stderr: '' })
  })

  it.each<[mistake: string, about: RegExp, edits: readonly Edit[], days?: number, name?: string]>([
    ['proxy that does not ask', /^protection of/, [[/auth_request \/_homeport\/check;/, '']]],
    ['expired certificate', /^certificate of/, [], -0.5],
    ['certificate of another host', /^certificate of/, [], 90, 'reports.example.com'],
    ['proxy without the callback page', /^sign-in of/, [[/location = \/_homeport\/auth\/callback .*/, '']]],
    [
      'proxy without the sign-in page and the callback',
      /^sign-in of/,
      [
        [/location = \/_homeport\/ .*/, ''],
        [/location = \/_homeport\/api\/auth\/callback .*/, ''],
      ],
    ],
    [
      'proxy that passes the check to visitors',
      /^check of/,
      [
        [
          /location = \/_homeport\/api\/session .*/,
          'location = /_homeport/api/auth/forward { proxy_pass http://127.0.0.1:{handler}; }',
        ],
      ],
    ],
    [
      'proxy that removes HSTS',
      /^HSTS of/,
      [[/absolute_redirect off;/, '$& proxy_hide_header Strict-Transport-Security;']],
    ],
    [
      'proxy that believes the visitor’s headers',
      /^forged headers of/,
      [[/location \/ \{/, '$& if ($http_x_homeport_is_admin) { return 200; }']],
    ],
    ['handler behind another base path', /^handler of/, [[/(proxy_pass \S+\/)_homeport\//g, '$1_other/']]],
  ])('%s', async (_, about, edits, days, name = host) => {
    const filled = edits.map(([pattern, by]): Edit => [pattern, by.replace('{handler}', String(handlerPort))])
    const result = await check({}, { from: await startNginx(filled, authority.issue(name, days)) })
    expect(result.wrong, result.stdout).toEqual([expect.stringMatching(about)])
    expect(result).toMatchObject({ status: 1, stderr: '' })
  })

  it.each<[good: string, about: string, edits: readonly Edit[]]>([
    ['keys that the proxy does not pass', 'keys', [[/location = \/_homeport\/\.well-known.*/, '']]],
    ['a network that the proxy refuses', 'handler', [[/absolute_redirect off;/, '$& return 403 Forbidden;']]],
    [
      'a limit of the proxy',
      'sign-in',
      [
        [/rate=20r\/s/, 'rate=1r/m'],
        [/burst=200 nodelay/, ''],
      ],
    ],
  ])('no mistake: %s', async (_, about, edits) => {
    const { status, wrong, unknown, stdout } = await check({}, { from: await startNginx(edits) })
    expect([status, wrong], stdout).toEqual([0, []])
    expect(unknown).toContain(`${about} of https://${host}`)
  })

  it('proxy without its intermediate certificate', async () => {
    const { key, cert } = authority.issue(host)
    const from = await startNginx([], { key, cert: cert.replace(authority.pem, '') })
    const { status, wrong, stdout } = await check({ NODE_EXTRA_CA_CERTS: '' }, { from })
    expect([status, wrong], stdout).toEqual([1, [`certificate of https://${host}`]])
    expect(stdout).toMatch(/^wrong +certificate .*UNABLE_TO_VERIFY.* fullchain\.pem.*NODE_EXTRA_CA_CERTS/m)
  })

  const passes = 'proxy_pass http://127.0.0.1:{application}; proxy_pass_request_headers on;'
  it.each<[mistake: string, about: RegExp[], edits: readonly Edit[]]>([
    ['nothing', [], []],
    [
      'proxy that passes the visitor’s headers on open paths',
      [/^open path \/health of/, /^open path \/webhooks\/x of/],
      [
        [/auth_request \/_homeport\/check;/, 'set $homeport_username $http_x_homeport_username;'],
        [/auth_request_set \$homeport_username .*/, ''],
        [/location \/ \{/, 'location = / { return 401; }\n location / {'],
      ],
    ],
    [
      'open path that passes the visitor’s headers',
      [/^open path \/webhooks\/x of/],
      [
        [
          /# The application\.\n {2}location/,
          `location = /webhooks/x { proxy_set_header Host $host; ${passes} }\n location`,
        ],
      ],
    ],
  ])('with --echo, %s', async (_, about, edits) => {
    const port = await freePort()
    // The check takes only the application's address, loopback.
    const other = createServer().listen(port, '127.0.0.2')
    await once(other, 'listening')
    const filled = edits.map(([pattern, by]): Edit => [pattern, by.replace('{application}', String(port))])
    const from = await startNginx([
      [new RegExp(`127\\.0\\.0\\.1:${application.port}`, 'g'), `127.0.0.1:${port}`],
      [/# ("~\^\[A-Z\]\+ \/webhooks)/, '$1'],
      ...filled,
    ])
    const result = await check({}, { from, args: ['--echo', String(port), '/health', '/webhooks/x'] })
    other.close()
    expect(result.wrong, result.stdout).toEqual(about.map(one => expect.stringMatching(one)))
    expect(result.stdout.match(/^ok +open path/gm) ?? []).toHaveLength(2 - about.length)
    expect(result.status).toBe(about.length === 0 ? 0 : 1)
  })
})

it.each([
  ['a certificate that it does not trust', { NODE_EXTRA_CA_CERTS: '' }, 'NODE_EXTRA_CA_CERTS'],
  ['no proxy', {}, 'Start the proxy'],
])('with %s, says last that the protection was not checked', async (_, env, cure) => {
  const from = cure === 'Start the proxy' ? 'https://127.0.0.1:9' : proxy
  const { status, wrong, unknown, stdout } = await check(env, { from })
  expect([status, wrong]).toEqual([0, []])
  expect(unknown).toContain(`protection of https://${host}`)
  expect(stdout).toContain(cure)
  expect(stdout).not.toContain('--from')
  expect(stdout).toMatch(/^0 wrong, .*\. The protection was not checked\.$/m)
})

describe('an answer that nobody documents is not checked', () => {
  const html = { 'content-type': 'text/html' }
  it.each<[answer: string, path: string, about: RegExp, answer: FaultAnswer]>([
    [
      'a code of Entra’s that is malformed',
      'token$',
      /^credential$/,
      { kind: 'errors', errors: [{ code: 9002313 }] },
    ],
    [
      'a tenant without an issuer',
      'openid-configuration$',
      /^tenant$/,
      { kind: 'respond', status: 200, body: '{"token_endpoint":"x"}' },
    ],
    [
      'a page of a firewall',
      '/me$',
      /^Graph$/,
      { kind: 'respond', status: 403, headers: html, body: '<h1>No' },
    ],
  ])('%s', async (_, path, about, answer) => {
    const service = path === '/me$' ? 'graph' : 'entra'
    entra.setFaults([{ match: { service, path }, times: null, answer }])
    const result = await check()
    entra.setFaults([])
    expect(result, result.stdout).toMatchObject({ status: 0, wrong: [] })
    expect(result.unknown).toContainEqual(expect.stringMatching(about))
  })
})
