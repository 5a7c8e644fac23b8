import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createSessionKey } from '../src/session/keys.ts'
import { root } from '../tools/bundle.ts'
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

/** Starts the handler. */
export async function startOurs({
  provider,
  databaseUrl,
  storePid,
  cores,
}: ContenderContext): Promise<Contender> {
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
      NODE_EXTRA_CA_CERTS: provider.certificateFile,
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
  return startServer('msal-node, one shared client, on express, same store', 'bench/sign-in-msal.ts', context)
}

/** Starts the check of sessions on express-session. */
export function startExpressSession(context: ContenderContext): Promise<Contender> {
  return startServer('express-session, connect-pg-simple', 'bench/forward-express.ts', context)
}

async function startServer(
  name: string,
  program: string,
  { provider, databaseUrl, storePid, cores }: ContenderContext,
): Promise<Contender> {
  const port = await freePort()
  const command = [process.execPath, join(root, program)]
  const [file = '', ...args] = cores === undefined ? command : ['taskset', '-c', cores, ...command]
  const child = spawn(file, args, {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: provider.certificateFile,
      PROVIDER: provider.origin,
      TENANT_ID: provider.tenantId,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const failed = ended.then(([status]) => Promise.reject(new Error(`${program} ended with ${status}.`)))
  await Promise.race([once(child.stdout, 'data'), failed])
  failed.catch(() => undefined)
  return {
    name,
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    storePid,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
