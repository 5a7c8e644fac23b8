import { createHash, X509Certificate } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { startChromium } from '../../tools/chromium.ts'
import { timeLimit } from '../support/time-limit.ts'

const timeoutMs = timeLimit(20_000)

/**
 * Starts a browser for which hosts are a server on this machine.
 * @param server its address and port
 * @param authority the certificate of the authority that it trusts, as PEM
 */
export function startBrowser(hosts: readonly string[], server: string, authority: string): Promise<Browser> {
  const key = new X509Certificate(authority).publicKey.export({ type: 'spki', format: 'der' })
  return startChromium([
    `--host-resolver-rules=${hosts.map(host => `MAP ${host}:443 ${server}`).join(', ')}`,
    `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`,
  ])
}

/** Opens a page of a person with their own browser profile. */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  page.setDefaultTimeout(timeoutMs)
  return page
}

/** Presses a button of the handler's pages. */
export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

/** Picks an account on the provider's page. */
export const pick = (page: Page, name: string): Promise<void> =>
  page.locator(`button[value="${name}@example.com"]`).click()

/** Resolves to the heading of a refusal. */
export const refusal = async (page: Page): Promise<string> =>
  (await page.getByRole('alert').getByRole('heading').textContent()) ?? ''
