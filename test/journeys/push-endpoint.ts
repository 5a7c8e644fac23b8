import { createPassword, hashPassword } from '../../push/passwords.ts'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { freshBundle } from '../../tools/bundle.ts'
import { startNode } from '../support/command.ts'

/** The built endpoint in a process of its own, and a password for one hostname. */
export type PushEndpoint = Awaited<ReturnType<typeof startPushEndpoint>>

/**
 * Starts the built push.js for a hostname of the sandbox, without the environment of this process.
 * @throws Error if it does not start
 */
export async function startPushEndpoint({ cloudflare }: SandboxDescription, hostname: string) {
  const password = createPassword()
  const env = {
    API_TOKEN: cloudflare.dnsToken,
    ZONE_ID: cloudflare.zoneId,
    BASE_URL: cloudflare.baseUrl,
    HOSTS: `${hostname} A sha256:${await hashPassword(password)}`,
    PLAIN_HTTP: 'true',
    PORT: '0',
  }
  const program = [freshBundle('push'), 'serve']
  const { process, ended, printed } = startNode(program, env, { timeLimitMs: 0 })
  const [, origin] = await printed(/Listening on (http:\/\/127\.0\.0\.1:\d+)/)
  const url = `${origin}/nic/update`
  return {
    url,
    password,
    /** Reports an address, as a router does. Resolves to the answer, without the line break at its end. */
    async ping(address: string, given = password) {
      const startedMs = performance.now()
      const response = await fetch(`${url}?hostname=${hostname}&myip=${address}`, {
        headers: { authorization: `Basic ${btoa(`homeport:${given}`)}` },
      })
      const body = (await response.text()).trimEnd()
      return { status: response.status, body, elapsedMs: performance.now() - startedMs }
    },
    async close() {
      process.kill('SIGTERM')
      await ended
    },
  }
}
