import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSessionKey } from '../src/session/keys.ts'
import { root } from '../tools/bundle.ts'
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
  /** The cores for a contender, in taskset's syntax. */
  readonly cores: string | undefined
}

const startTimeoutMs = 60_000

/** Starts the handler. */
export async function startOurs(context: ContenderContext): Promise<Contender> {
  const { provider, databaseUrl, storePid, cores } = context
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
    ...(cores === undefined ? {} : { cores }),
  })
  return {
    name: 'Homeport on Node with PostgreSQL',
    origin: `http://127.0.0.1:${port}`,
    pid: handler.process.pid ?? 0,
    storePid,
    stop: () => handler.stop(),
  }
}

/** Starts sign-in on msal-node. */
export function startMsal(context: ContenderContext): Promise<Contender> {
  return startScript('msal-node, one shared client, on express, same store', 'bench/sign-in-msal.ts', context)
}

/** Starts the check of sessions on express-session. */
export function startExpressSession(context: ContenderContext): Promise<Contender> {
  return startScript('express-session, connect-pg-simple', 'bench/forward-express.ts', context)
}

async function startScript(
  name: string,
  script: string,
  { provider, databaseUrl, storePid, cores }: ContenderContext,
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
  const server = await startServer([process.execPath, join(root, script)], port, env, cores)
  return { name, origin: `http://127.0.0.1:${port}`, storePid, ...server }
}

/**
 * Starts oauth2-proxy with its sessions in Redis, which is how it can end one. It asks no list of employees. Its provider is
 * DigitalOcean, which has no ID token whose signature would count: the stub provider makes none.
 */
export async function startOauth2Proxy(
  program: string,
  { provider, cores }: ContenderContext,
): Promise<Contender> {
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
  const proxy = await startServer([program, ...args], port, { SSL_CERT_FILE: provider.authority }, cores)
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

/**
 * Starts a server, and waits until it accepts connections.
 * @throws Error if it ends, or does not accept one in time
 */
async function startServer(
  command: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
  cores?: string,
) {
  const [file = '', ...args] = cores === undefined ? command : ['taskset', '-c', cores, ...command]
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: 'ignore' } as const
  const child = spawn(file, args, options)
  process.once('exit', () => child.kill('SIGKILL'))
  let failure: unknown = null
  child.once('error', error => {
    failure = error
  })
  const until = performance.now() + startTimeoutMs
  while (!(await accepts(port))) {
    if (failure !== null || child.exitCode !== null || performance.now() > until)
      throw new Error(`${command.slice(0, 2).join(' ')} does not listen: ${failure ?? child.exitCode}.`)
    await sleep(50)
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const opened = await new Promise<boolean>(resolve => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return opened
}
