import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { debianProgram, librariesOf } from '../tools/debian.ts'
import { freePort } from '../tools/free-port.ts'
import type { Contender } from './contest.ts'
import type { ContenderContext } from './sign-in-contenders.ts'

const startTimeoutMs = 15_000

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
  const redis = start(redisProgram, redisArgs, { LD_LIBRARY_PATH: await librariesOf(redisProgram) })
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
  const [file = '', ...pinned] = cores === undefined ? [program] : ['taskset', '-c', cores, program]
  await listening(redis, redisPort)
  const proxy = start(file, [...pinned, ...args], { SSL_CERT_FILE: provider.certificateFile })
  await listening(proxy, port)
  return {
    name: 'oauth2-proxy with Redis, session only',
    origin: `http://127.0.0.1:${port}`,
    pid: proxy.pid ?? 0,
    storePid: redis.pid ?? 0,
    async stop() {
      for (const child of [proxy, redis]) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
    },
  }
}

function start(file: string, args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(file, args, { env: { PATH: process.env['PATH'] ?? '', ...env }, stdio: 'ignore' })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** @throws Error if a server ends, or does not accept a connection in time */
async function listening(child: ChildProcess, port: number): Promise<void> {
  let failure: unknown = null
  child.once('error', error => {
    failure = error
  })
  const until = performance.now() + startTimeoutMs
  while (performance.now() < until) {
    if (failure !== null || child.exitCode !== null)
      throw new Error(`${child.spawnfile} ended with ${failure ?? child.exitCode}.`)
    const socket = connect(port, '127.0.0.1')
    const opened = await new Promise<boolean>(resolve => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (opened) return
    await sleep(50)
  }
  throw new Error(`${child.spawnfile} did not listen within ${startTimeoutMs / 1000} s.`)
}
