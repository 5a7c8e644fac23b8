import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCheck } from '../../../src/operator/check/check.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { freePort } from '../../../tools/free-port.ts'
import { startHandler } from '../../support/handler.ts'
import { listen, startProxy } from '../../support/listen.ts'
import { enterableFolder } from '../../support/temporary-folder.ts'
import { type Database, openDatabase } from '../support/databases.ts'
import { runEmployees } from '../support/operator.ts'

const settings = {
  TENANT_ID: 'example.com',
  CLIENT_ID: 'client',
  CLIENT_SECRET: 'a-secret',
  INSTANCE: 'http://127.0.0.1:9',
  GRAPH_URL: 'http://127.0.0.1:9',
  ALLOWED_DOMAINS: 'example.com',
  REDIRECT_URI: 'http://127.0.0.1:9/auth/callback',
  SESSION_KEYS: createSessionKey(new Date()),
}

let database: Database
beforeAll(async () => {
  database = await openDatabase('postgres')
  await runEmployees(database.env, 'migrate')
})
afterAll(() => database?.close())

/** Runs the check. Returns its lines. */
async function check(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const lines: string[] = []
  await runCheck(args, { ...settings, ...database.env, ...env }, text => void lines.push(text))
  return lines
}

it('reads the settings of a Worker with its D1, which it does not write to, and names hosts without an answer', async () => {
  const worker = await openDatabase('d1')
  await runEmployees(worker.env, 'migrate')
  const lines = await check({ ...worker.env, DATABASE_URL: '' })
  expect(lines).toContainEqual(
    expect.stringMatching(/^wrong +network: (127\.0\.0\.1:9: .+){2}HTTPS_PROXY\.$/),
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/^ok +store: D1 database \S+ can be used\. Add employees with/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^not checked +writing: /))
  expect(lines.at(-1)).toBe('1 wrong, 3 ok, 8 not checked. The protection was not checked.')
  await worker.close()
})

it('says which sign-ins the store will refuse, by ids and not by names, and what else it lacks', async () => {
  await database.store.query('DROP INDEX employees_user_name')
  await database.store.query(
    "INSERT INTO employees (id, user_name) VALUES ('8', 'Bob'), ('12', 'BOB'), ('9', 'eve@example.com')",
  )
  const lines = await check(database.env)
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^wrong +employees: 3 employees, .* Nobody can sign in as id 9: .* differ at most in case .*: id 12, id 8\. /,
    ),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^ok +store: .* has no index on lower\(user_name\)/))
  expect(lines).toContainEqual(expect.stringMatching(/^ok +writing: /))
  expect(await database.store.query('SELECT * FROM homeport_ended_sessions')).toEqual([])
  expect(lines.join('')).not.toMatch(/bob|eve@/i)
  await database.store.query('ALTER TABLE homeport_bindings RENAME TO away')
  const broken = await check({})
  await database.store.query('ALTER TABLE away RENAME TO homeport_bindings')
  expect(broken).toContainEqual(
    expect.stringMatching(/^wrong +store: There is no homeport_bindings\. .* says all\.$/),
  )
})

it('calls a setting wrong that others can read, and not one that only deserves a look', async () => {
  const key = join(enterableFolder(), 'keys')
  await writeFile(key, settings.SESSION_KEYS)
  await chmod(key, 0o644)
  const lines = await check({
    SESSION_KEYS: '',
    SESSION_KEYS_FILE: key,
    BASE_PATH: '/_homeport',
  })
  expect(lines.filter(line => / settings: /.test(line)).map(line => line.slice(0, 45))).toEqual([
    expect.stringMatching(/^wrong +settings: SESSION_KEYS_FILE/),
    expect.stringMatching(/^not checked +settings: REDIRECT_URI/),
    expect.stringMatching(/^not checked +settings: TRUSTED_PROXIES/),
    expect.stringMatching(/^ok +settings: /),
  ])
})

const back = settings.REDIRECT_URI
it.each([
  ['ok', `${back}?error=login_required&state=STATE`],
  ['not checked', `${back}?error=login_required&state=other`],
  ['not checked', `${back}/?error=login_required&state=STATE`],
  ['not checked', `${back}?error=server_error&error_description=AADSTS700016&state=STATE`],
])('calls a redirect URI %s if Entra redirects to %s', async (finding, location) => {
  const entra = createServer(({ url = '' }, response) => {
    const state = /[?&]state=([^&]*)/.exec(url)?.[1] ?? ''
    if (url.includes('/authorize?')) response.writeHead(302, { location: location.replace('STATE', state) })
    response.end('{}')
  })
  const lines = await check({ INSTANCE: await listen(entra) })
  entra.close()
  expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${finding} +redirect URI`)))
})

it('prints nothing of another server that a terminal would act on', async () => {
  const other = createServer(({ url }, response) => {
    response.setHeader('strict-transport-security', 'caf\u00e9\u009b2J')
    response.end(url === '/healthz' ? '{"status":"\u001b[2J' : '{"keys":[')
  })
  const lines = await check({ REDIRECT_URI: `${await listen(other)}/auth/callback` })
  other.close()
  expect(lines).toContainEqual(expect.stringMatching(/^ok +health of .*\\u001b/))
  expect(lines).toContainEqual(expect.stringMatching(/^not checked +protection .* Set AFTER_SIGN_IN_URL/))
  expect(lines.join('')).not.toMatch(/\p{Cc}/u)
})

it('says that the handler there still has another redirect URI', async () => {
  const port = String(await freePort())
  const at = (name: string) => `http://${name}:${port}/auth/callback`
  const env = { ...settings, ...database.env, PORT: port, REDIRECT_URI: at('localhost') }
  const handler = await startHandler({ env })
  const judged = async (redirectUri: string) =>
    (await check({ REDIRECT_URI: redirectUri })).filter(line => /redirect URI of/.test(line))
  expect(await judged(at('127.0.0.1'))).toEqual([
    expect.stringMatching(`^wrong +redirect URI of http://127.* has ${at('localhost')}\\. .*restart it`),
  ])
  expect(await judged(at('localhost'))).toEqual([])
  // A proxy that names its first host for each.
  expect(await judged(`${at('localhost')},${at('127.0.0.1')}`)).toEqual([
    expect.stringMatching(/^wrong +redirect URI of http:\/\/127.*let the proxy pass Host/),
  ])
  await handler.stop()
})

it('goes straight to the address of --from, which only this host may reach', async () => {
  const proxy = await startProxy('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  const lines = await check(
    { HTTPS_PROXY: proxy.url, REDIRECT_URI: 'https://people.example.com/auth/callback' },
    '--from',
    'https://127.0.0.1:9',
  )
  expect(proxy.seen).toEqual([])
  expect(lines).toContainEqual(expect.stringMatching(/^not checked +certificate .*ECONNREFUSED/))
  proxy.close()
})
