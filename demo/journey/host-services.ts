import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type HttpServer, serveHttp } from '../../sandbox/http/server.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { type Handler, startHandler } from '../../tools/handler.ts'

const startTimeoutMs = 20_000
const pauseMs = 50

/** The employee's name that the proxy passes to the application. */
const nameHeader = 'x-homeport-username'

/** Starts a small application, which trusts the header that its proxy sets. Every page shows the name and the path. */
export const startGreeter = (): Promise<HttpServer> =>
  serveHttp('the application', 0, async ({ headers, url = '/' }, response) => {
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

/** A proxy that ends TLS, with certificates of an authority that it made for this run. */
interface TlsProxy {
  readonly port: number
  /** The certificate of the authority that issues, as PEM. */
  readonly authority: string
  close(): Promise<void>
}

/** Where the proxy sends requests, and the hosts that it serves. */
interface ProxyPlan {
  readonly program: string
  readonly folder: string
  readonly hosts: readonly string[]
  readonly handlerPort: number
  readonly applicationPort: number
}

/** Starts Caddy with the document for a whole host, on loopback, and with an authority of its own in place of a public one. */
export async function startCaddy(plan: ProxyPlan): Promise<TlsProxy> {
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
  const endWithParent = () => void child.kill('SIGKILL')
  process.once('exit', endWithParent)
  child.once('exit', () => process.off('exit', endWithParent))
  let output = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    output = `${output}${chunk}`.slice(-100_000)
  })
  const issued = (host: string) => join(folder, `caddy/certificates/local/${host}/${host}.crt`)
  try {
    for (const host of hosts) await waitForFile(issued(host), child)
    const authority = await waitForFile(join(folder, 'caddy/pki/authorities/local/intermediate.crt'), child)
    return { port, authority, close: () => stop(child) }
  } catch (error) {
    await stop(child)
    throw new Error(`Caddy did not start:\n${output.slice(-3000)}`, { cause: error })
  }
}

/** Resolves to the text of a file that a program writes while it starts. @throws Error if it ends first or takes too long */
async function waitForFile(path: string, child: ChildProcess): Promise<string> {
  for (let waitedMs = 0; waitedMs < startTimeoutMs && child.exitCode === null; waitedMs += pauseMs) {
    const found = await readFile(path, 'utf8').catch(() => '')
    if (found !== '') return found
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
  throw new Error(`There is no ${path}.`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
