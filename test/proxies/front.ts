import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { freePort } from '../../tools/free-port.ts'
import { type Person, type Stage, startStage } from '../src/support/stage.ts'
import { readAssertion } from '../support/assertion.ts'
import { bytesOf, type Response, send } from '../support/send.ts'
import { Visitor } from '../support/visitor.ts'
import { type Edit, hosts, type Passed, type Recipe, startApplication, startProxy } from './running.ts'

/** Returns a header's name in CGI, WSGI and PHP, which keep only letters and digits. */
const asApplicationReads = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** Returns who the application takes the visitor for: each header about it, by the name that applications read. */
export function identityIn({ headers }: Passed) {
  return headers
    .map(([header, value]) => [asApplicationReads(header), value] as const)
    .map(([header, value]) => [header, header === 'x_homeport_assertion' ? subjectOf(value) : value] as const)
    .filter(([header]) => header.includes('homeport'))
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Returns whom an assertion is about, or the text of what is none. */
function subjectOf(token: string): string {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) ? readAssertion(token).claims.sub : token
}

export type Front = ReturnType<typeof startFront>

/**
 * Starts a handler, an application, and a proxy in front of both, for the tests of a group. Visitors use the last host, unless
 * a test names another.
 */
export function startFront(recipe: Recipe) {
  const { name, basePath } = recipe
  const [, lastHost] = hosts
  /** Of the two forms of each document, one runs with the setting, and one without. */
  const hasEmail = basePath !== ''
  let stage: Stage
  let application: Awaited<ReturnType<typeof startApplication>>
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    const port = await freePort()
    const settings = {
      TRUSTED_PROXIES: '127.0.0.1',
      REQUIRE_STATE: 'true',
      BASE_PATH: basePath,
      EMAIL_HEADER: String(hasEmail),
      REDIRECT_URI: hosts.map(host => `http://${host}:${port}${basePath}/auth/callback`).join(),
    }
    stage = await startStage('node', settings)
    application = await startApplication()
    proxy = await startProxy(recipe, servers(), { port })
  })
  afterAll(async () => {
    await proxy?.stop()
    await application?.close()
    await stage?.close()
  })
  beforeEach(() => {
    application.passed.length = 0
  })

  const servers = () => ({ handler: Number(new URL(stage.origin).port), application: application.port })

  function ask(
    target: string,
    {
      method = 'GET',
      headers = [] as readonly string[],
      body = '',
      port = proxy.port,
      host = lastHost as string,
      from = '127.0.0.1',
    } = {},
  ): Promise<Response> {
    return send(port, bytesOf(`${method} ${target}`, `${host}:${proxy.port}`, headers, body), { from })
  }
  const startUnavailable = () => startProxy(recipe, { ...servers(), handler: 9 })
  const originOf = (host: string) => `http://${host}:${proxy.port}`
  const visitor = (host: string = lastHost) => new Visitor(originOf(host), basePath)
  return {
    name,
    basePath,
    host: lastHost,
    originOf,
    ask,
    visitor,
    stage: () => stage,
    proxy: () => proxy,
    /** Returns who the application must take a person for, as `identityIn` does. */
    identityOf: ({ account, employeeId, userName }: Person, isAdmin: boolean) => [
      ['x_homeport_assertion', employeeId],
      ...(hasEmail ? [['x_homeport_email', account]] : []),
      ['x_homeport_is_admin', isAdmin ? '1' : '0'],
      ['x_homeport_resource_id', employeeId],
      ['x_homeport_username', userName],
    ],
    /** What reached the application during this test. */
    passed: (): readonly Passed[] => application.passed,
    /** Bytes of all uploads that reached the application. */
    receivedBytes: () => application.receivedBytes(),
    /** Signs in through the proxy. */
    async signedIn(admin = false) {
      const person = await stage.hire(admin ? 'administrator' : 'employee')
      const visiting = visitor()
      const answer = await visiting.signIn(person.account)
      expect(answer.body).toMatchObject({ user: { username: person.userName } })
      const cookie = `Cookie: __Host-homeport-session=${visiting.cookie('session')}`
      return { person, visitor: visiting, cookie }
    },
    /** Starts a proxy whose handler does not answer. */
    startUnavailable,
    /** Starts a proxy with another document in front of the same servers. */
    startEdited: (edits: readonly Edit[]) => startProxy(recipe, servers(), { edits, visited: proxy.port }),
    /** Asks for a page while the store is unavailable, and while the handler is. */
    async askUnavailable(headers: readonly string[]): Promise<readonly [store: Response, handler: Response]> {
      const restore = await stage.breakStore()
      const withoutStore = await ask('/timesheets/', { headers })
      await restore()
      const gone = await startUnavailable()
      const withoutHandler = await ask('/timesheets/', { headers, port: gone.port })
      await gone.stop()
      return [withoutStore, withoutHandler]
    },
  }
}
