import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../../tools/free-port.ts'
import { startPostgres } from '../../tools/postgres.ts'
import { debianProgram } from '../support/debian-program.ts'
import { runEmployees } from '../support/employees.ts'
import { hostname } from '../support/engine/stack.ts'
import type { Handler } from '../support/handler.ts'
import { startBrowser } from './browser.ts'
import { Deployment, nobody } from './deployment.ts'
import { startCaddy, startFromFiles, startGreeter } from './host-services.ts'
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
    const application = await startGreeter()
    this.closing.push(() => application.close())
    const proxy = await startCaddy({
      program: await debianProgram('caddy'),
      folder: this.services.folder,
      hosts,
      handlerPort: Number(this.#own['PORT']),
      applicationPort: application.port,
    })
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
    this.#handler = await startFromFiles(this.#folder, this.#own)
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
