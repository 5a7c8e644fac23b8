import { createHash, X509Certificate } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import type { SandboxDescription } from '../../sandbox/sandbox.ts'
import { startChromium } from '../../tools/chromium.ts'

const timeoutMs = 20_000

/** Starts a browser that resolves a host to the sandbox, and trusts the sandbox's certificate authority. */
export function startBrowser({ https, ca }: SandboxDescription, host: string): Promise<Browser> {
  const key = new X509Certificate(ca).publicKey.export({ type: 'spki', format: 'der' })
  return startChromium([
    `--host-resolver-rules=MAP ${host} ${https.host}:${https.port}`,
    `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
  ])
}

/** A person with their own browser profile. */
export class Visitor {
  readonly #origin: string
  readonly #page: Page

  private constructor(origin: string, page: Page) {
    this.#origin = origin
    this.#page = page
  }

  static async open(browser: Browser, origin: string): Promise<Visitor> {
    const page = await (await browser.newContext()).newPage()
    page.setDefaultTimeout(timeoutMs)
    return new Visitor(origin, page)
  }

  /**
   * Signs in with an account of the provider, and waits for the page that the visitor came from.
   * @returns where the provider sent the code to, without its query, and where the visitor arrived
   */
  async signIn(account: string, from: string): Promise<{ redirectedTo: string; arrivedAt: string }> {
    const redirects: string[] = []
    const watch = (request: { url(): string }) => {
      const url = new URL(request.url())
      if (url.origin === this.#origin && url.searchParams.has('code'))
        redirects.push(url.origin + url.pathname)
    }
    this.#page.on('request', watch)
    await this.#page.goto(`${this.#origin}/?return=${from}`)
    await this.#press('Sign in')
    await this.#page.locator(`button[value="${account}"]`).click()
    await this.#page.waitForURL(`${this.#origin}${from}`)
    this.#page.off('request', watch)
    return { redirectedTo: redirects[0] ?? 'nowhere', arrivedAt: this.#page.url() }
  }

  /** Tries to sign in with the account that the provider remembers. Resolves to the heading of the refusal. */
  async signInAgain(): Promise<string> {
    await this.#page.goto(`${this.#origin}/`)
    await this.#press('Sign in')
    return (await this.#page.getByRole('alert').getByRole('heading').textContent()) ?? ''
  }

  /** Asks the handler who is signed in. Resolves to the status and, if it is 200, the name. */
  async whoAmI(): Promise<string> {
    return this.#page.evaluate<string>(
      `fetch('/api/session').then(async answer =>
        answer.ok ? answer.status + ' ' + (await answer.json()).user.username : String(answer.status))`,
    )
  }

  #press(name: string): Promise<void> {
    return this.#page.getByRole('button', { name, exact: true }).click()
  }
}
