import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { html } from '../../sandbox/http/html.ts'
import { startChromium } from '../../tools/chromium.ts'
import { hasBrowser } from '../support/browser.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox({
  entra: { redirectUris: ['http://localhost:8080/auth/callback'] },
  github: true,
})

const browse = (headers: Record<string, string> = {}, path = '/') =>
  fetch(`${sandbox.at.cloudflare.baseUrl}${path}`, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers },
  })

const text = async () => (await browse()).text()

/** Returns the commands under a heading of the page, unescaped for a shell. */
function commandsUnder(page: string, title: string): string {
  const [, lines = ''] = new RegExp(`<h3>${title}.*?</h3>.*?<pre>(.*?)</pre>`, 's').exec(page) ?? []
  return lines
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

describe('the home page', () => {
  test('shows a browser the addresses and contents of the services', async () => {
    const response = await browse()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await response.text()
    const { cloudflare, control, doh, echo, nameServers, entra, github } = sandbox.at
    if (entra === undefined || github === undefined) throw new Error('A service did not start.')
    for (const part of [
      cloudflare.apiUrl,
      cloudflare.httpsUrl,
      control,
      ...doh,
      ...echo,
      ...nameServers.map(({ host, port }) => `${host}:${port}`),
      cloudflare.zoneId,
      cloudflare.accountId,
      cloudflare.dnsToken,
      cloudflare.adminToken,
      entra.instance,
      entra.graphUrl,
      entra.tenantId,
      entra.clientId,
      entra.clientSecret,
      entra.redirectUri,
      entra.metadataHost,
      entra.deployer.clientId,
      entra.deployer.clientSecret,
      ...entra.users.map(({ userPrincipalName }) => userPrincipalName),
      github.baseUrl,
      `${github.owner}/${github.repository}`,
      github.token,
      github.workflowToken,
      'home.example.com',
      '192.0.2.10',
    ]) {
      expect(page).toContain(part)
    }
  })

  test('loads no resources, runs only its own script and cannot be framed', async () => {
    const response = await browse()
    const page = await response.text()
    const [, script = '', ...others] = page.split(/<script>(.*?)<\/script>/s)
    expect(others).toHaveLength(1)
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.replace(script, '')).not.toMatch(/<script\s|<img|<link|src=|@import|url\(|\son\w+=/i)
  })

  test('escapes requests and records, and shows no credential', async () => {
    const evil = `<img src=x onerror=alert(1)>"'`
    const secret = `cfut_${'S'.repeat(40)}00000000`
    await sandbox.api('GET', `/zones/${encodeURI(evil)}?q=${evil.replaceAll(' ', '')}`, { token: secret })
    await sandbox.create({ type: 'TXT', name: 'evil', content: '<script>alert(2)</script>' })
    const page = await text()
    expect(page).not.toContain('<img')
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&lt;script&gt;alert(2)&lt;/script&gt;')
    expect(page).not.toContain(secret)
  })

  test('does not list its own requests', async () => {
    await sandbox.control('DELETE', '/journal')
    await text()
    expect(await sandbox.journal()).toEqual([])
    expect(await text()).toContain('No requests yet.')
  })

  test('is served to browsers only', async () => {
    expect((await browse({ accept: 'application/json' })).status).toBe(404)
    expect((await browse({}, '/client/v4/')).status).not.toBe(200)
  })

  test('shows a command for each client', async () => {
    const page = await text()
    for (const title of ['dig', 'The official SDK', 'Terraform', 'Pulumi', 'The action']) {
      expect(commandsUnder(page, title), title).not.toBe('')
    }
  })

  // The page's commands use it, as people do.
  const hasCurl = spawnSync('curl', ['--version']).status === 0

  test.skipIf(!hasCurl)(`shows commands that work${hasCurl ? '' : ' (curl is not installed)'}`, async () => {
    const page = await text()
    const folder = await mkdtemp(join(tmpdir(), 'home-page-'))
    // Not execFileSync: the sandbox runs in this process and must stay responsive.
    async function shell(title: string) {
      const options = { cwd: folder, timeout: 20_000 }
      return (await promisify(execFile)('sh', ['-c', commandsUnder(page, title)], options)).stdout
    }
    expect(JSON.parse(await shell('curl')).result).toMatchObject([{ name: 'home.example.com' }])
    expect(JSON.parse(await shell('DNS over HTTPS')).Answer).toMatchObject([{ data: '192.0.2.10' }])
    expect(JSON.parse(await shell('Upload a Worker'))).toMatchObject({
      success: true,
      result: { id: 'hello' },
    })
    expect(await shell('Add a custom domain')).toMatch(/hello\n$/)
    const after = await text()
    expect(after).toContain('hello.example.com')
    await rm(folder, { recursive: true })
  })
})

describe.skipIf(!hasBrowser)('the home page in Chromium', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await startChromium()
    const context = await browser.newContext({ viewport: { width: 320, height: 640 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    page = await context.newPage()
    await page.goto(sandbox.at.cloudflare.baseUrl)
  })
  afterAll(() => browser?.close())

  test('copies each line with one button', async () => {
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'Copy client secret' }).click()
    await page.getByRole('status').getByText('Copied: Copy client secret').waitFor({ state: 'attached' })
    expect(await copied()).toBe(sandbox.at.entra?.clientSecret)
    await page.getByRole('button', { name: 'Copy Terraform' }).click()
    await page.getByRole('status').getByText('Copied: Copy Terraform').waitFor({ state: 'attached' })
    expect(await copied()).toContain('provider "cloudflare" {\n  base_url')
    const lines = await page.locator('dl code, .example pre').count()
    expect(await page.getByRole('button', { name: /^Copy / }).count()).toBe(lines)
  })

  test('cuts nothing off at 320 px', async () => {
    await sandbox.create({ type: 'TXT', name: 'long', content: 'x'.repeat(400) })
    await page.reload()
    // Elements that are wider inside than they appear, or that reach beyond the screen.
    const cutOff = `[...document.querySelectorAll('main *')].filter(element =>
      element.getAttribute('role') !== 'status' &&
      (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline' ||
        element.getBoundingClientRect().right > 320)).map(element => element.outerHTML.slice(0, 80))`
    expect(await page.evaluate(cutOff)).toEqual([])
  })
})

test('html`` escapes text and control characters, and keeps nested HTML', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(html`<p title="${`"'&`}">${inner}${[inner, inner]}${1}${'\u0007'}</p>`.text).toBe(
    '<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>1?</p>',
  )
})
