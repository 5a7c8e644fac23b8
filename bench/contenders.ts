import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createSessionKey } from '../src/session/keys.ts'
import { accepts } from '../test/support/listen.ts'
import { serverProgram } from '../test/support/program.ts'
import { debianProgram, librariesOf } from '../tools/debian.ts'
import { freePort } from '../tools/free-port.ts'
import { startHandler } from '../tools/handler.ts'
import type { Contender } from './contest.ts'
import type { StubProvider } from './sign-in-provider.ts'

/** What the contenders share. */
export interface ContenderContext {
  readonly provider: StubProvider
  readonly databaseUrl: string
  /** Process id of PostgreSQL. */
  readonly storePid: number
}

/** Starts the handler. */
export async function startOurs({ provider, databaseUrl, storePid }: ContenderContext): Promise<Contender> {
  const port = await freePort()
  const handler = await startHandler({
    env: {
      TENANT_ID: provider.tenantId,
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
      INSTANCE: provider.origin,
      GRAPH_URL: provider.origin,
      REDIRECT_URI: `http://localhost:${port}/auth/callback`,
      REQUIRE_STATE: 'true',
      SESSION_KEYS: createSessionKey(new Date()),
      ALLOWED_DOMAINS: 'example.com',
      DATABASE_URL: databaseUrl,
      NODE_EXTRA_CA_CERTS: provider.authority,
      PORT: String(port),
    },
  })
  return {
    name: 'Homeport on Node with PostgreSQL',
    origin: `http://127.0.0.1:${port}`,
    pid: handler.process.pid ?? 0,
    storePid,
    stop: () => handler.stop(),
  }
}

/** Starts a script of this folder that serves in the same way on other packages. */
export async function startScript(
  name: string,
  script: string,
  { provider, databaseUrl, storePid }: ContenderContext,
): Promise<Contender> {
  const port = await freePort()
  const env = {
    NODE_ENV: 'production',
    NODE_EXTRA_CA_CERTS: provider.authority,
    PROVIDER: provider.origin,
    TENANT_ID: provider.tenantId,
    DATABASE_URL: databaseUrl,
    PORT: String(port),
  }
  const server = await startServer([process.execPath, join(import.meta.dirname, script)], port, env)
  return { name, origin: `http://127.0.0.1:${port}`, storePid, ...server }
}

/**
 * Starts oauth2-proxy with its sessions in Redis, which is how it can end one. It asks no list of employees. Its provider is
 * DigitalOcean, which has no ID token whose signature would count: the stub provider makes none.
 */
export async function startOauth2Proxy(program: string, { provider }: ContenderContext): Promise<Contender> {
  const [redisPort, port] = [await freePort(), await freePort()]
  const redisProgram = await debianProgram('redis-server')
  const redisArgs = ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const libraries = { LD_LIBRARY_PATH: await librariesOf(redisProgram) }
  const redis = await startServer([redisProgram, ...redisArgs], redisPort, libraries)
  const args = [
    '--provider=digitalocean',
    '--client-id=client',
    '--client-secret=secret',
    `--login-url=${provider.origin}/authorize`,
    `--redeem-url=${provider.origin}/token`,
    `--profile-url=${provider.origin}/me`,
    `--validate-url=${provider.origin}/me`,
    `--redirect-url=http://127.0.0.1:${port}/oauth2/callback`,
    '--email-domain=*',
    '--session-store-type=redis',
    `--redis-connection-url=redis://127.0.0.1:${redisPort}`,
    `--cookie-secret=${randomBytes(16).toString('hex')}`,
    '--cookie-secure=false',
    '--set-xauthrequest',
    '--upstream=static://202',
    `--http-address=127.0.0.1:${port}`,
  ]
  const proxy = await startServer([program, ...args], port, { SSL_CERT_FILE: provider.authority })
  return {
    name: 'oauth2-proxy with Redis, session only',
    origin: `http://127.0.0.1:${port}`,
    pid: proxy.pid,
    storePid: redis.pid,
    async stop() {
      await proxy.stop()
      await redis.stop()
    },
  }
}

/** Starts a server, and waits until it accepts connections. */
async function startServer(
  [file = '', ...args]: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
) {
  const child = spawn(file, args, { env, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  const { stop } = await serverProgram(child, '', () => accepts(port))
  return { pid: child.pid ?? 0, stop }
}
