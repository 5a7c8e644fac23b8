import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { serveHttp } from '../../sandbox/http/server.ts'
import { root } from '../../tools/bundle.ts'
import { freePort } from '../../tools/free-port.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { debianProgram } from '../support/debian-program.ts'
import { runEmployees } from '../support/employees.ts'
import { hostname } from '../support/engine/stack.ts'
import { type Handler, startHandler } from '../support/handler.ts'
import { serverProgram } from '../support/program.ts'
import { startBrowser } from './browser.ts'
import { Deployment, nobody } from './deployment.ts'
import { type Check, same } from './story.ts'

const hosts = [hostname, 'reports.example.com'] as const
const firstOrigin = `https://${hosts[0]}`
const secondOrigin = `https://${hosts[1]}`
const basePath = '/_homeport'

/** The handler runs on a host of your own, behind Caddy, and protects an application on two hosts. */
export class HostDeployment extends Deployment {
  override readonly config = {
    signIn: 'host',
    publicOrigin: `${firstOrigin},${secondOrigin}`,
    basePath,
    autoSignIn: 'true',
  }
  override readonly origin = firstOrigin
  override readonly redirectUris = [firstOrigin, secondOrigin].map(
    origin => `${origin}${basePath}/auth/callback`,
  )
  override readonly deepLink = '/weeks/47?view=all'
  override readonly databasesLeft = 0
  /** The operator's own settings. */
  #own: Readonly<Record<string, string>> = {}
  #handler: Handler | undefined

  override async openHandler(): Promise<readonly Check[]> {
    await mkdir(this.#folder, { mode: 0o700 })
    const written = await this.#writeSettings()
    const postgres = await startPostgres()
    this.closing.push(
      () => postgres.close(),
      async () => this.#handler?.stop(),
    )
    this.#own = {
      DATABASE_URL: await postgres.createDatabase('people'),
      PORT: String(await freePort()),
      TRUSTED_PROXIES: '127.0.0.1',
    }
    await this.employees('migrate')
    await this.#restart()
    return [written, await this.#refusesStrangers()]
  }

  override async openBrowser(): Promise<Browser> {
    // An application that trusts the header that its proxy sets.
    const application = await serveHttp(async ({ headers, url = '/' }, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      response.end(`Timesheets of ${headers['x-homeport-username']}, page ${url}`)
    })
    this.closing.push(() => application.close())
    const proxy = await startCaddy(this.services.folder, this.#own['PORT'] ?? '', application.port)
    this.closing.push(() => proxy.close())
    return startBrowser(hosts, `127.0.0.1:${proxy.port}`, proxy.authority)
  }

  override employees(...command: string[]): Promise<string> {
    return runEmployees(command, { DATABASE_URL: this.#own['DATABASE_URL'] })
  }

  override async visit(page: Page, path: string): Promise<void> {
    await page.goto(`${firstOrigin}${path}`)
  }

  override async nameSeen(page: Page): Promise<string> {
    await page.goto(`${firstOrigin}/`)
    return nameOn(page)
  }

  override async turnedAway(page: Page): Promise<string> {
    await page.goto(`${firstOrigin}/`)
    // An ended session waits for a click, and the page says why it ended.
    const told = await page.getByText(/inactive/i).first()
    return `${new URL(page.url()).pathname}: ${await told.textContent()}`
  }

  override async signedIn(page: Page): Promise<readonly Check[]> {
    const cookies = await page.context().cookies(firstOrigin)
    const session = cookies.find(({ name }) => name === '__Host-homeport-session')
    await page.goto(`${secondOrigin}/`)
    await page.getByText('Timesheets of').waitFor()
    return [
      same('cookie is Secure', session?.secure, true),
      same('second host needs no click', [page.url(), await nameOn(page)], [`${secondOrigin}/`, 'alice']),
    ]
  }

  override async renew(): Promise<readonly Check[]> {
    const written = await this.#writeSettings()
    await this.#restart()
    return [written, await this.#refusesStrangers()]
  }

  /** Folder of the files that `npm run after-up -- --settings` writes. */
  get #folder(): string {
    return join(this.services.folder, 'settings')
  }

  #writeSettings(): Promise<Check> {
    return this.afterUp({}, '--settings', this.#folder)
  }

  async #restart(): Promise<void> {
    await this.#handler?.stop()
    // From the files that `npm run after-up -- --settings` wrote, as the systemd unit does.
    this.#handler = await startHandler({
      env: {
        ...parseEnv(await readFile(join(this.#folder, 'homeport.env'), 'utf8')),
        CLIENT_SECRET_FILE: join(this.#folder, 'client-secret'),
        SESSION_KEYS_FILE: join(this.#folder, 'session-keys'),
        ...this.#own,
      },
    })
  }

  /** Asks the check as the proxy does, without a session. */
  async #refusesStrangers(): Promise<Check> {
    const { status } = await fetch(`http://127.0.0.1:${this.#own['PORT']}${basePath}/api/auth/forward`, {
      headers: { 'x-forwarded-host': hosts[0], 'x-forwarded-proto': 'https' },
    })
    return same('check without a session', status, 401)
  }
}

/** Returns the name on a page of the application, or `nobody` on another page. */
async function nameOn(page: Page): Promise<string> {
  const text = (await page.locator('body').textContent()) ?? ''
  return /^Timesheets of (\w+), page /.exec(text)?.[1] ?? nobody
}

/**
 * Starts Caddy with the document for a whole host, on loopback, and with an authority of its own in place of a public one.
 * Resolves to its port and to the certificate of the authority that issues, as PEM.
 */
async function startCaddy(parent: string, handlerPort: string, applicationPort: number) {
  const folder = join(parent, 'caddy')
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
  const child = spawn(await debianProgram('caddy'), ['run', '--config', file, '--adapter', 'caddyfile'], {
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
