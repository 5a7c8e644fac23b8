import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { daysAgo } from '../../test/support/configuration.ts'
import { demoHosts } from '../../test/support/deployment.ts'
import { NoBrowser } from '../../tools/chromium.ts'
import { debianProgram, NoProgram } from '../../tools/debian.ts'
import { freePort } from '../../tools/free-port.ts'
import type { Handler } from '../../tools/handler.ts'
import { type Postgres, startPostgres } from '../../tools/postgres.ts'
import { newPage, pick, refusal, startBrowser } from './browser.ts'
import { type Check, same, shows } from './check.ts'
import { startCaddy, startFromFiles, startGreeter } from './host-services.ts'
import { required, Scene, type Step } from './scene.ts'

/** The story of a host of your own. Each step needs the ones before it. */
export const hostSteps: readonly Step<HostJourney>[] = [
  { title: 'The operator deploys a record and the sign-in of a host', run: journey => journey.deploy() },
  { title: 'The handler starts from the files of the stack', run: journey => journey.startHandler() },
  { title: 'A proxy protects an application on two hosts', run: journey => journey.protect() },
  { title: 'The address changes and the name follows', run: journey => journey.followAddress() },
  { title: 'alice opens a deep link, signs in, and lands on it', run: journey => journey.signIn() },
  { title: 'The second host needs no click', run: journey => journey.visitSecond() },
  { title: 'A contractor is refused', run: journey => journey.refuse() },
  { title: 'HR deactivates alice, and her next click is refused', run: journey => journey.deactivate() },
  { title: 'The operator rotates the secrets, and nobody notices', run: journey => journey.rotate() },
  { title: 'npm run drift finds a redirect URI, and up removes it', run: journey => journey.repair() },
  {
    title: 'The operator destroys the stack, and the protected record is left',
    run: journey => journey.destroy(),
  },
]

const secondHost = 'reports.example.com'
const hosts = [demoHosts.dynamic, secondHost] as const
const [firstOrigin, secondOrigin] = [`https://${demoHosts.dynamic}`, `https://${secondHost}`] as const
const basePath = '/_homeport'
// RFC 5737 reserves these addresses for documentation.
const [bootstrapAddress, nextAddress] = ['192.0.2.1', '203.0.113.10'] as const
const deepLink = '/weeks/47?view=all'

/** What the steps of the story share. */
export class HostJourney extends Scene {
  /** What ends with the journey, in order of its start. */
  readonly #closing: (() => Promise<unknown>)[] = []
  #own: Readonly<Record<string, string>> = {}
  #handler: Handler | undefined
  #browser: Browser | undefined
  #alice: Page | undefined
  #bob: Page | undefined

  override async close(): Promise<void> {
    await this.#handler?.stop()
    for (const close of this.#closing.toReversed()) await close()
    await super.close()
  }

  async deploy(): Promise<readonly Check[]> {
    await this.stack.configure({
      signIn: 'host',
      publicOrigin: `${firstOrigin},${secondOrigin}`,
      basePath,
      autoSignIn: 'true',
    })
    await this.stack.up()
    return [...(await this.pointsTo(bootstrapAddress)), this.#registered()]
  }

  async startHandler(): Promise<readonly Check[]> {
    await mkdir(this.#settings, { mode: 0o700 })
    const written = await this.#writeSettings()
    const postgres: Postgres = await startPostgres()
    this.#closing.push(() => postgres.close())
    this.#own = {
      DATABASE_URL: await postgres.createDatabase('people'),
      PORT: String(await freePort()),
      TRUSTED_PROXIES: '127.0.0.1',
    }
    const statuses: number[] = []
    for (const command of [['migrate'], ['add', 'alice'], ['add', 'bob']])
      statuses.push(await this.#employees(...command))
    await this.#restart()
    return [written, same('npm run employees', statuses, [0, 0, 0]), await this.#refusesStrangers()]
  }

  async protect(): Promise<readonly Check[]> {
    const application = await startGreeter()
    this.#closing.push(() => application.close())
    try {
      const proxy = await startCaddy({
        program: await debianProgram('caddy'),
        folder: this.deployment.folder,
        hosts,
        handlerPort: Number(this.#own['PORT']),
        applicationPort: application.port,
      })
      this.#closing.push(() => proxy.close())
      const browser = await startBrowser(hosts, `127.0.0.1:${proxy.port}`, proxy.authority)
      this.#browser = browser
      this.#closing.push(() => browser.close())
    } catch (error) {
      if (!(error instanceof NoProgram || error instanceof NoBrowser)) throw error
      return [{ what: 'no pages', good: true, detail: error.message }, await this.#refusesStrangers()]
    }
    const page = await newPage(this.#browser)
    await page.goto(`${firstOrigin}/`)
    return [
      same('a stranger sees the page', (await textOf(page)).includes('Timesheets'), false),
      await this.#refusesStrangers(),
    ]
  }

  followAddress(): Promise<readonly Check[]> {
    return this.follow(nextAddress)
  }

  signIn(): Promise<readonly Check[]> {
    return this.#inBrowser(async browser => {
      const page = await newPage(browser)
      this.#alice = page
      const arrived = await this.#signInTo(page, 'alice', deepLink)
      const cookies = await page.context().cookies(firstOrigin)
      const session = cookies.find(({ name }) => name === '__Host-homeport-session')
      await page.goto(`${firstOrigin}/`)
      return [
        same('arrives at', arrived, `${firstOrigin}${deepLink}`),
        same('cookie is Secure', session?.secure, true),
        same(
          'page at /',
          [page.url(), await textOf(page)],
          [`${firstOrigin}/`, 'Timesheets of alice, page /'],
        ),
      ]
    })
  }

  visitSecond(): Promise<readonly Check[]> {
    return this.#inBrowser(async () => {
      const page = required(this.#alice)
      await page.goto(`${secondOrigin}/`)
      await page.getByText('Timesheets of').waitFor()
      return [
        same('arrives at', page.url(), `${secondOrigin}/`),
        same('page', await textOf(page), 'Timesheets of alice, page /'),
      ]
    })
  }

  refuse(): Promise<readonly Check[]> {
    return this.#inBrowser(async browser => {
      const page = await newPage(browser)
      await page.goto(`${firstOrigin}${deepLink}`)
      await pick(page, 'contractor')
      const heading = await refusal(page)
      await page.goto(`${firstOrigin}/`)
      return [
        { what: 'refused', good: heading !== '', detail: heading },
        same('sees the page', (await textOf(page)).includes('Timesheets'), false),
      ]
    })
  }

  async deactivate(): Promise<readonly Check[]> {
    const status = same('npm run employees', await this.#employees('deactivate', 'alice'), 0)
    const refused = await this.#inBrowser(async () => {
      const page = required(this.#alice)
      const answer = await page.goto(`${firstOrigin}/`)
      const { pathname } = new URL(answer?.url() ?? page.url())
      // An ended session waits for a click, and the page says why it ended.
      const told =
        (await page
          .getByText(/inactive/i)
          .first()
          .textContent()) ?? ''
      return [
        same('next click leads to', pathname, `${basePath}/`),
        same('says', /inactive/i.test(told), true),
      ]
    })
    return [status, ...refused]
  }

  async rotate(): Promise<readonly Check[]> {
    const before = await this.#inBrowser(async browser => {
      this.#bob = await newPage(browser)
      return [same('bob arrives at', await this.#signInTo(this.#bob, 'bob', '/'), `${firstOrigin}/`)]
    })
    const { token: oldToken, clientSecrets: oldSecrets } = this.deployment
    await this.stack.configure({ tokenRotation: 'second', secretRotationA: daysAgo(0) })
    await this.stack.up()
    const { clientSecrets, token } = this.deployment
    const kept = clientSecrets.filter(secret => oldSecrets.includes(secret))
    const signIn = async (browser: Browser, what: string) =>
      same(what, await this.#signInTo(await newPage(browser), 'bob', deepLink), firstOrigin + deepLink)
    const old = await this.#inBrowser(async browser => [await signIn(browser, 'with the old files')])
    const written = await this.#writeSettings()
    await this.#restart()
    const after = await this.#inBrowser(async browser => {
      const renewed = await signIn(browser, 'with the new files')
      const bob = required(this.#bob)
      await bob.goto(`${firstOrigin}/`)
      return [renewed, same("bob's page", await textOf(bob), 'Timesheets of bob, page /')]
    })
    return [
      ...before,
      same('token replaced', token !== oldToken, true),
      same('client secrets kept', [kept.length, clientSecrets.length], [1, 2]),
      written,
      await this.#refusesStrangers(),
      ...old,
      ...after,
    ]
  }

  async repair(): Promise<readonly Check[]> {
    const before = await this.noDrift('before')
    this.addRedirectUri('https://elsewhere.example.net/')
    const found = await this.drift()
    await this.stack.up()
    const after = await this.noDrift('after')
    const line = /^The registration has web\.redirectUris = .*/m
    return [before, shows('found', found.output, line), this.#registered(), after]
  }

  async destroy(): Promise<readonly Check[]> {
    await this.stack.destroy()
    return [...(await this.nothingLeft()), ...(await this.pointsTo(nextAddress))]
  }

  /** Folder of the files that `npm run after-up -- --settings` writes. */
  get #settings(): string {
    return join(this.deployment.folder, 'settings')
  }

  #registered(): Check {
    return this.redirectsTo(
      ...[firstOrigin, secondOrigin].map(origin => `${origin}${basePath}/auth/callback`),
    )
  }

  async #writeSettings(): Promise<Check> {
    return this.afterUp(await this.stack.secretOutputs(), ['--settings', this.#settings])
  }

  async #restart(): Promise<void> {
    await this.#handler?.stop()
    this.#handler = await startFromFiles(this.#settings, this.#own)
  }

  /** Asks the check as the proxy does, without a session. */
  async #refusesStrangers(): Promise<Check> {
    const { status } = await fetch(`http://127.0.0.1:${this.#own['PORT']}${basePath}/api/auth/forward`, {
      headers: { 'x-forwarded-host': demoHosts.dynamic, 'x-forwarded-proto': 'https' },
    })
    return same('check without a session', status, 401)
  }

  /** Runs checks in the browser. If there is none, or no proxy, asks the check directly. */
  async #inBrowser(checks: (browser: Browser) => Promise<readonly Check[]>): Promise<readonly Check[]> {
    return this.#browser === undefined ? [await this.#refusesStrangers()] : checks(this.#browser)
  }

  /** Opens a page of the application, and signs in at the provider. Resolves to where the visitor arrives. */
  async #signInTo(page: Page, name: string, path: string): Promise<string> {
    await page.goto(`${firstOrigin}${path}`)
    await pick(page, name)
    await page.getByText(`Timesheets of ${name}, page ${path}`).waitFor()
    return page.url()
  }

  /** Runs `npm run employees`. Resolves to its exit status. */
  #employees(...command: string[]): Promise<number> {
    return this.runEmployees(command, { DATABASE_URL: this.#own['DATABASE_URL'] })
  }
}

const textOf = async (page: Page): Promise<string> => (await page.locator('body').textContent()) ?? ''
