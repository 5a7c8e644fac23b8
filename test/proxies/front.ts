import type { IncomingMessage } from 'node:http'
import { freePort } from '../../tools/free-port.ts'
import { type Person, startStage } from '../src/support/stage.ts'
import { readAssertion } from '../support/assertion.ts'
import { startRelay } from '../support/relay.ts'
import { bytesOf, type Response, send } from '../support/send.ts'
import { Visitor } from '../support/visitor.ts'
import { startApplication } from './application.ts'
import { hosts, type Recipe, startProxy } from './running.ts'
import { type Upload, upload } from './upload.ts'

/** Returns a header's name in CGI, WSGI and PHP, which keep only letters and digits. */
const asApplicationReads = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '_')

/** Returns who the application takes the visitor for: each header about it, by the name that applications read. */
export function identityIn({ headersDistinct }: IncomingMessage) {
  return Object.entries(headersDistinct)
    .flatMap(([header, values = []]) => values.map(value => [asApplicationReads(header), value] as const))
    .filter(([header]) => header.includes('homeport'))
    .map(([header, value]) => [header, header === 'x_homeport_assertion' ? subjectOf(value) : value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Returns whom an assertion is about, or the text of what is none. */
function subjectOf(token: string): string {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) ? readAssertion(token).claims.sub : token
}

export type Front = Awaited<ReturnType<typeof startFront>>

/**
 * Starts a handler, an application, and a proxy in front of both. Visitors use the last host, unless a test names another.
 */
export async function startFront(recipe: Recipe) {
  await using starting = new AsyncDisposableStack()
  const { basePath } = recipe
  const [, lastHost] = hosts
  /** Of the two forms of each document, one runs with the setting, and one without. */
  const hasEmail = basePath !== ''
  const [own, plain] = [await freePort(), await freePort()]
  const stage = starting.adopt(
    await startStage('node', {
      TRUSTED_PROXIES: '127.0.0.1',
      REQUIRE_STATE: 'true',
      BASE_PATH: basePath,
      EMAIL_HEADER: String(hasEmail),
      AUTO_SIGN_IN: 'true',
      REDIRECT_URI: hosts.map(host => `http://${host}:${own}${basePath}/auth/callback`).join(),
    }),
    stage => stage.close(),
  )
  const application = starting.adopt(await startApplication(), application => application.close())
  let relay = await startRelay(stage.origin)
  starting.defer(() => relay.close())
  const handler = Number(new URL(relay.baseUrl).port)
  // nginx 1.22 has a port for one of the two versions, unless there is TLS.
  const http2 = recipe.name === 'nginx' ? await freePort() : own
  const ports = { own, plain, http2, handler, application: application.port }
  const proxy = starting.adopt(await startProxy(recipe, ports), proxy => proxy.stop())
  const running = starting.move()

  function ask(
    target: string,
    {
      method = 'GET',
      headers = [] as readonly string[],
      body = '',
      port = own,
      host = lastHost as string,
      from = '127.0.0.1',
    } = {},
  ): Promise<Response> {
    return send(port, bytesOf(`${method} ${target}`, `${host}:${own}`, headers, body), { from })
  }
  const originOf = (host: string) => `http://${host}:${own}`
  const visitor = (host: string = lastHost) => new Visitor(originOf(host), basePath)
  return {
    close: () => running.disposeAsync(),
    stage,
    application,
    ports,
    readLog: proxy.readLog,
    originOf,
    ask,
    /** Uploads bytes. Returns the status of the answer. */
    upload: (given: Omit<Upload, 'host'>) =>
      upload(given.version === 2 ? http2 : own, { ...given, host: `${lastHost}:${own}` }),
    /** Starts a request with a session, and resolves when the answer starts. */
    open: (path: string, cookie: string, options: RequestInit = {}) =>
      fetch(originOf(lastHost) + path, { ...options, headers: { cookie: cookie.slice('Cookie: '.length) } }),
    visitor,
    /** Returns who the application must take a person for, as `identityIn` does. */
    identityOf: ({ account, employeeId, userName }: Person, isAdmin: boolean) => [
      ['x_homeport_assertion', employeeId],
      ...(hasEmail ? [['x_homeport_email', account]] : []),
      ['x_homeport_is_admin', isAdmin ? '1' : '0'],
      ['x_homeport_resource_id', employeeId],
      ['x_homeport_username', userName],
    ],
    /** Signs in through the proxy. */
    async signedIn(admin = false) {
      const person = await stage.hire(admin ? 'administrator' : 'employee')
      const visiting = visitor()
      const answer = await visiting.signIn(person.account)
      if (answer.status !== 200) throw new Error(`The sign-in got ${answer.status}: ${answer.text}`)
      return { person, visitor: visiting, cookie: cookieOf(visiting) }
    },
    /** Does something while the handler does not listen. */
    async withoutHandler<Result>(act: () => Promise<Result>): Promise<Result> {
      await relay.close()
      const result = await act()
      relay = await startRelay(stage.origin, { port: handler })
      return result
    },
  }
}

/** Returns the header with a visitor's session. */
export const cookieOf = (visitor: Visitor) => `Cookie: __Host-homeport-session=${visitor.cookie('session')}`
