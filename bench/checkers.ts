import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { FullDescription } from '../sandbox/sandbox.ts'
import { redirectUriOf } from '../src/settings/redirect-uri.ts'
import { startHandler } from '../test/support/handler.ts'
import { handlerSettings } from '../test/support/handler-settings.ts'
import { accepts } from '../test/support/listen.ts'
import { serverProgram } from '../test/support/program.ts'
import { Visitor } from '../test/support/visitor.ts'

/** A server that answers forward checks. */
export interface Checker {
  readonly name: string
  readonly origin: string
  readonly pid: number
  /** Signs a person in. Resolves to the session's cookie, as a browser sends it. */
  signIn(person: string): Promise<string>
  stop(): Promise<unknown>
}

/** Starts the handler. */
export async function startOurs(
  entra: FullDescription['entra'],
  port: number,
  databaseUrl: string,
): Promise<Checker> {
  const origin = `http://localhost:${port}`
  const handler = await startHandler({
    env: {
      ...handlerSettings(entra, redirectUriOf(origin)),
      DATABASE_URL: databaseUrl,
      PORT: String(port),
    },
  })
  return {
    name: 'Homeport on Node with PostgreSQL',
    origin,
    pid: handler.process.pid ?? 0,
    async signIn(person) {
      const visitor = new Visitor(origin)
      const { status, text } = await visitor.signIn(`${person}@example.com`)
      if (status !== 200) throw new Error(`The sign-in of ${person} ended with ${status}: ${text}`)
      return `__Host-homeport-session=${visitor.cookie('session')}`
    },
    stop: () => handler.stop(),
  }
}

/** Starts the server on express. */
export async function startExpress(port: number, databaseUrl: string): Promise<Checker> {
  const env = { NODE_ENV: 'production', DATABASE_URL: databaseUrl, PORT: String(port) }
  const script = join(import.meta.dirname, 'forward-express.ts')
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const { stop } = await serverProgram(child, '', () => accepts(port))
  const origin = `http://localhost:${port}`
  return {
    name: 'express-session, connect-pg-simple, reading the employee',
    origin,
    pid: child.pid ?? 0,
    async signIn(person) {
      const { headers } = await fetch(`${origin}/sign-in?id=${person.replace('person', '')}`)
      return headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
    },
    stop,
  }
}

/** Returns a client that sends requests with a cookie over these many connections, and resolves to the status and a name. */
export function checkerClient({ origin }: Checker, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { port } = new URL(origin)
  return async (cookie: string, method = 'GET', path = '/api/auth/forward') => {
    const headers = { host: new URL(origin).host, 'sec-fetch-site': 'same-origin', cookie }
    const sent = request({ agent, hostname: '127.0.0.1', port, method, path, headers }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return `${response.statusCode} ${response.headers['x-homeport-username'] ?? ''}`.trim()
  }
}
