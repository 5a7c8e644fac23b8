import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type HttpServer, serveHttp } from '../../sandbox/http/server.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Handler, startHandler } from '../support/handler.ts'
import { serverProgram } from '../support/program.ts'

/** The employee's name that the proxy passes to the application. */
const nameHeader = 'x-homeport-username'

/** Starts a small application, which trusts the header that its proxy sets. Every page shows the name and the path. */
export const startGreeter = (): Promise<HttpServer> =>
  serveHttp(async ({ headers, url = '/' }, response) => {
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.end(`Timesheets of ${String(headers[nameHeader])}, page ${url}`)
  })

/**
 * Starts the handler from the files that `npm run after-up -- --settings` wrote, as the systemd unit does.
 * @param own the operator's own settings
 */
export async function startFromFiles(
  folder: string,
  own: Readonly<Record<string, string>>,
): Promise<Handler> {
  return startHandler({
    env: {
      ...parseEnv(await readFile(join(folder, 'homeport.env'), 'utf8')),
      CLIENT_SECRET_FILE: join(folder, 'client-secret'),
      SESSION_KEYS_FILE: join(folder, 'session-keys'),
      ...own,
    },
  })
}

/** Where the proxy sends requests, and the hosts that it serves. */
interface ProxyPlan {
  readonly program: string
  readonly folder: string
  readonly hosts: readonly string[]
  readonly handlerPort: number
  readonly applicationPort: number
}

/**
 * Starts Caddy with the document for a whole host, on loopback, and with an authority of its own in place of a public one.
 * Resolves to its port and to the certificate of the authority that issues, as PEM.
 */
export async function startCaddy(plan: ProxyPlan) {
  const { program, hosts, handlerPort, applicationPort } = plan
  const folder = join(plan.folder, 'caddy')
  await mkdir(folder, { recursive: true })
  const [port, plain] = [await freePort(), await freePort()]
  const document = await readFile(join(root, 'docs/proxies/Caddyfile-host'), 'utf8')
  const options = [
    'admin off',
    'local_certs',
    'skip_install_trust',
    'default_bind 127.0.0.1',
    `http_port ${plain}`,
    `https_port ${port}`,
  ]
  const file = join(folder, 'Caddyfile')
  await writeFile(file, document.replace(/^\{$/m, `{\n\t${options.join('\n\t')}`))
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      HOMEPORT_SITE: hosts.join(', '),
      HOMEPORT_HANDLER: `127.0.0.1:${handlerPort}`,
      HOMEPORT_APPLICATION: `127.0.0.1:${applicationPort}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  process.once('exit', () => void child.kill('SIGKILL'))
  const issued = (host: string) => join(folder, `caddy/certificates/local/${host}/${host}.crt`)
  const made = [...hosts.map(issued), join(folder, 'caddy/pki/authorities/local/intermediate.crt')]
  const read = () => Promise.all(made.map(file => readFile(file, 'utf8').catch(() => '')))
  const { stop } = await serverProgram(child, folder, async () => !(await read()).includes(''))
  return { port, authority: (await read()).at(-1) ?? '', close: stop }
}
