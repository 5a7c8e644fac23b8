import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Entra } from '../../sandbox/testing/entra.ts'
import { createSessionKey } from '../../src/session/keys.ts'
import { freePort } from '../../tools/free-port.ts'
import { blocksIn } from '../docs/page.ts'
import { createMigratedDatabase } from '../src/support/databases.ts'
import { runEmployees } from '../src/support/operator.ts'
import { startHandler } from '../support/handler.ts'
import { handlerSettings } from '../support/handler-settings.ts'
import { Visitor } from '../support/visitor.ts'
import { startApplication } from './application.ts'
import { type Edit, startNginxHost } from './running.ts'

const stack = new AsyncDisposableStack()
let entra: Entra
let databaseUrl: string
let ports: readonly [number, number]
/** By what each request, and by what the visitor's address chooses a handler for what is not a check. */
let everywhere = ''
let sticky = ''
let env: Readonly<Record<string, string>>
const handlers: Awaited<ReturnType<typeof startHandler>>[] = []

/** Starts nginx in front of both handlers, as the page says. */
async function startNginx(own: number, application: number, signIn: string): Promise<string> {
  const [upstreams] = blocksIn('docs/proxies.md', '### Several handlers')
  const filled = (upstreams?.text ?? '')
    // The page waits for ten seconds instead, nginx's default.
    .replaceAll('10.0.0.1:8080', `127.0.0.1:${ports[0]} fail_timeout=1s`)
    .replaceAll('10.0.0.2:8080', `127.0.0.1:${ports[1]} fail_timeout=1s`)
  const edits: readonly Edit[] = [
    [/127\.0\.0\.1:8080(\/_homeport\/api\/auth\/forward)/, 'homeport$1'],
    [/127\.0\.0\.1:8080/g, signIn],
    [/(:\d+) ssl;/, '$1;'],
    [/^ *ssl_certificate.*$/gm, ''],
    [/server_name people\.example\.com;/g, 'server_name localhost;'],
    [/rate=20r\/s/, 'rate=1000r/s'],
  ]
  const { stop } = await startNginxHost({ own, application }, edits, filled)
  stack.defer(stop)
  return `http://localhost:${own}`
}

async function restart(index: 0 | 1, changes: Readonly<Record<string, string>> = {}): Promise<void> {
  await handlers[index]?.stop()
  handlers[index] = await startHandler({ env: { ...env, ...changes, PORT: String(ports[index]) } })
}

beforeAll(async () => {
  ports = [await freePort(), await freePort()]
  const own = [await freePort(), await freePort()] as const
  const redirectUris = own.map(port => `http://localhost:${port}/_homeport/auth/callback`)
  entra = stack.adopt(await Entra.start({ redirectUris }), started => started.close())
  databaseUrl = (await createMigratedDatabase()).href
  env = {
    ...handlerSettings(entra.description, redirectUris[0] ?? ''),
    DATABASE_URL: databaseUrl,
    BASE_PATH: '/_homeport',
    REQUIRE_STATE: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
  }
  await restart(0)
  await restart(1)
  stack.defer(async () => {
    for (const handler of handlers) await handler.stop()
  })
  const application = stack.adopt(await startApplication(), started => started.close())
  everywhere = await startNginx(own[0], application.port, 'homeport')
  // The second port of the redirect URI is not registered with the handlers, which look at no host where there is one.
  sticky = await startNginx(own[1], application.port, 'homeport_sign_in')
})
afterAll(() => stack.disposeAsync())

/** Creates an employee with an account. Returns the account. */
async function hire(): Promise<string> {
  const name = `marlowe-${randomUUID().slice(0, 8)}`
  const account = `${name}@example.com`
  const user = { id: randomUUID(), userPrincipalName: account, mail: account, displayName: name }
  entra.setUsers([...entra.description.users, user])
  expect((await runEmployees({ DATABASE_URL: databaseUrl }, 'add', name)).status).toBe(0)
  return account
}

/** What both handlers say of a session. */
const seenBy = (visitor: Visitor) =>
  Promise.all(
    ports.map(async port => {
      const headers = { cookie: `__Host-homeport-session=${visitor.cookie('session')}` }
      return (await fetch(`http://127.0.0.1:${port}/_homeport/api/auth/forward`, { headers })).status
    }),
  )

const routesOf = (index: 0 | 1) => (handlers[index]?.output() ?? '').match(/"route":"[^"]+"/g) ?? []

it('a sign-in begins at one handler and ends at the other, and both see its end and a deactivation at once', async () => {
  const account = await hire()
  const visitor = new Visitor(everywhere, '/_homeport')
  const before = ([0, 1] as const).map(index => routesOf(index).length)
  expect((await visitor.signIn(account)).status).toBe(200)
  const newRoutes = () => ([0, 1] as const).flatMap(index => routesOf(index).slice(before[index]))
  await expect.poll(newRoutes).toHaveLength(2)
  expect(([0, 1] as const).map(index => routesOf(index).length - (before[index] ?? 0))).toEqual([1, 1])
  expect(await seenBy(visitor)).toEqual([204, 204])
  const copy = new Visitor(everywhere, '/_homeport')
  copy.jar.set('localhost', new Map(visitor.jar.get('localhost')))
  expect((await visitor.logout()).status).toBe(204)
  expect(await seenBy(copy)).toEqual([401, 401])
  expect((await visitor.signIn(account)).status).toBe(200)
  const [name = ''] = account.split('@')
  await runEmployees({ DATABASE_URL: databaseUrl }, 'deactivate', name)
  expect(await seenBy(visitor)).toEqual([401, 401])
})

it('a callback that comes twice ends well at one handler, and the second fails if it reaches the other', async () => {
  async function twice(proxy: string) {
    const account = await hire()
    const visitor = new Visitor(everywhere, '/_homeport')
    const parameters = await visitor.visitProvider(await visitor.start(), account)
    const other = new Visitor(proxy, '/_homeport')
    other.jar.set('localhost', new Map(visitor.jar.get('localhost')))
    const answers = await Promise.all([other.callback(parameters), other.callback(parameters)])
    return answers.map(({ status, body }) => body['code'] ?? status).sort()
  }
  expect(await twice(everywhere)).toEqual([200, 'sign-in-expired'])
  expect(await twice(sticky)).toEqual([200, 200])
})

it('keys are rotated and handlers are replaced one by one, and nobody notices', async () => {
  const visitor = new Visitor(everywhere, '/_homeport')
  expect((await visitor.signIn(await hire())).status).toBe(200)
  const statuses = new Set<number>()
  let isOver = false
  const opening = (async () => {
    while (!isOver) statuses.add((await visitor.request('/')).status)
  })()
  const [old = '', fresh = ''] = [env['SESSION_KEYS'], createSessionKey(new Date())]
  for (const keys of [`${old},${fresh}`, `${fresh},${old}`])
    for (const index of [0, 1] as const) {
      await restart(index, { SESSION_KEYS: keys })
      // The proxy asks it again.
      await expect.poll(() => routesOf(index)).toContain('"route":"/api/auth/forward"')
      expect(await seenBy(visitor)).toEqual([204, 204])
      const another = new Visitor(everywhere, '/_homeport')
      expect((await another.signIn(await hire())).status).toBe(200)
      expect(await seenBy(another)).toEqual([204, 204])
    }
  isOver = true
  await opening
  expect([...statuses]).toEqual([200])
})
