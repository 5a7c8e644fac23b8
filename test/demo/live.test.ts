import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FollowedRecord } from '../../demo/followed-record.ts'
import type { DeclaredResource } from '../../demo/live/declared.ts'
import { Live } from '../../demo/live/live.ts'
import { originOf, serveLivePage } from '../../demo/live/server.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { startChromium } from '../../tools/chromium.ts'
import { freePort } from '../../tools/free-port.ts'
import { findAccessibilityProblems } from '../support/axe.ts'
import { hasBrowser } from '../support/browser.ts'
import { startDemo } from './demo.ts'

const hostile = `<img src=x onerror=alert(1)>"'\u0007`
const resource: DeclaredResource = {
  name: 'dns-record',
  kind: 'DnsRecord',
  needs: [],
  fields: [{ name: 'content', value: hostile, owner: 'action' }],
}

/** Starts the page in this process, without the parts that take seconds. */
async function startPage(sandbox: Sandbox, port: number) {
  const live = new Live({
    record: new FollowedRecord(sandbox.description),
    journal: () => sandbox.control.journal(),
    declare: async () => [resource],
    startSignIn: () => Promise.reject(new Error(`No handler ${hostile}`)),
  })
  const server = await serveLivePage(live, port)
  return {
    live,
    async close() {
      await server.close()
      await live.close()
    },
  }
}

describe('the live page', () => {
  let sandbox: Sandbox
  let page: Awaited<ReturnType<typeof startPage>>
  let port: number
  let origin: string
  beforeAll(async () => {
    ;[sandbox, port] = await Promise.all([startSandbox(), freePort()])
    origin = originOf(port)
    page = await startPage(sandbox, port)
  })
  afterAll(async () => {
    await page.close()
    await sandbox.close()
  })

  /** Sends a request with any headers, which fetch does not. */
  async function send(method: string, path: string, headers: Record<string, string> = {}) {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { host: `localhost:${port}`, ...headers },
    })
    const [answer] = await once(sent.end(), 'response')
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
  }
  it('shows everything without its script, and its buttons work', async () => {
    expect((await send('POST', '/live/address', { origin })).headers.location).toBe('/live')
    expect((await send('POST', '/live/round', { origin })).status).toBe(303)
    const { body, headers } = await send('GET', '/live')
    expect(body).toMatch(/<p class="address">203\.0\.113\.51<\/p>/)
    expect(body.match(/✓<\/span> Name server .*\n<code>203\.0\.113\.51<\/code>, TTL 120 s/g)).toHaveLength(2)
    expect(body).toMatch(/<strong>updated<\/strong>\n<code>192\.0\.2\.10 → 203\.0\.113\.51</)
    expect(body).toMatch(/<td>PUT<\/td><td>\/client\/v4\/zones\/\w+\/dns_records/)
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-/,
    )
    expect(body).not.toMatch(/<link rel="stylesheet|<script src|<img|@import|url\((?!#)|\son\w+=|\sstyle=/i)
  })

  it('says why a round failed', async () => {
    const body = '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}'
    sandbox.control.setFaults([{ match: {}, times: null, answer: { kind: 'respond', status: 403, body } }])
    await send('POST', '/live/round', { origin })
    sandbox.control.setFaults([])
    const page = (await send('GET', '/live')).body
    expect(page).toContain('The last round failed: token-rejected.')
    expect(page).toMatch(/<li class="failed"><strong>failed<\/strong>\n<code>token-rejected</)
    await send('POST', '/live/round', { origin })
    expect((await send('GET', '/live')).body).toContain('Every name server answers')
  })

  it('escapes what clients and programs sent, and shows no credential', async () => {
    const { baseUrl, dnsToken } = sandbox.description.cloudflare
    await send('GET', '/live')
    const headers = { authorization: `Bearer ${dnsToken}` }
    await fetch(`${baseUrl}/client/v4/user?q=${dnsToken}<script>alert(1)</script>`, { headers })
    const { body } = await send('GET', '/live')
    for (const raw of ['<img', '<script>alert', dnsToken]) expect(body).not.toContain(raw)
    for (const shown of ['alert(1)', '&lt;img', 'No handler']) expect(body).toContain(shown)
  })

  it.each([
    ['another name for this machine', 'GET', '/live', { host: 'evil.example' }, 403],
    ['another port', 'GET', '/live', { host: 'localhost:1' }, 403],
    ['its address instead of its name', 'GET', '/live', { host: '127.0.0.1' }, 403],
    ['a form from another site', 'POST', '/live/round', { origin: 'https://evil.example' }, 403],
    ['a form without an origin', 'POST', '/live/address', {}, 403],
    ['a form as a link', 'GET', '/live/round', {}, 405],
    ['a stream for another site', 'GET', '/live/events', { 'sec-fetch-site': 'cross-site' }, 403],
    ['the handler before it runs', 'GET', '/dashboard', {}, 503],
  ])('refuses %s', async (_, method, path, headers, status) => {
    const answer = await send(method, path, headers)
    expect(answer.status).toBe(status)
    expect(answer.body).not.toContain('evil')
  })

  it('sends its address to its name, where the sign-in works', async () => {
    const { status, headers } = await send('GET', '/', { host: `127.0.0.1:${port}` })
    expect([status, headers.location]).toEqual([303, `${origin}/live`])
  })

  it.skipIf(!hasBrowser)('connects again by itself in a browser', async () => {
    const browser = await startChromium()
    try {
      const tab = await browser.newPage()
      await tab.goto(origin)
      await page.close()
      await tab.getByText('Not connected to the demo').waitFor()
      page = await startPage(sandbox, port)
      await tab.getByText(/Every name server|Not every/).waitFor()
    } finally {
      await browser.close()
    }
  })
})

describe.skipIf(!hasBrowser)('npm run demo -- --keep', () => {
  let demo: ReturnType<typeof startDemo>
  let browser: Browser
  let page: Page
  const errors: string[] = []
  beforeAll(async () => {
    demo = startDemo(['--keep'])
    const [url] = await demo.printed(/http:\/\/localhost:\d+\/(?=\n)/)
    browser = await startChromium()
    page = await browser.newPage()
    page.on('console', message => void (message.type() === 'error' && errors.push(message.text())))
    page.on('pageerror', error => void errors.push(error.message))
    await page.goto(url)
  }, 90_000)
  afterAll(async () => {
    await browser?.close()
    demo.process.kill('SIGINT')
  })

  it('follows the address, with and without its buttons', async () => {
    const before = await page.locator('.address').textContent()
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByText(/^Not every name server/).waitFor()
    await page.getByRole('button', { name: 'Run a round' }).click()
    await page.getByText(/^Every name server/).waitFor()
    expect(await page.locator('.address').textContent()).not.toBe(before)
    // Nobody pressed a button for this one.
    const rounds = await page.locator('#rounds > li').count()
    await expect.poll(() => page.locator('#rounds > li').count(), { timeout: 30_000 }).toBeGreaterThan(rounds)
  })

  it('shows who owns which field', { timeout: 150_000 }, async () => {
    const ownerOf = (field: string) =>
      page
        .locator('#record div', { has: page.getByText(field, { exact: true }) })
        .locator('.badge')
        .textContent()
    await page.locator('#record dl').waitFor({ timeout: 120_000 })
    for (const field of ['name', 'type', 'ttl', 'proxied']) expect(await ownerOf(field), field).toBe('Pulumi')
    expect(await ownerOf('content')).toBe('action')
    expect(await ownerOf('comment')).toBe('people')
    await page.locator('#resource-handler-worker summary').click()
    expect(await page.locator('#resource-handler-worker').textContent()).toMatch(
      /Needs .*handler-database.*bindings\s*secret/s,
    )
  })

  it('signs in through the handler, and comes back', { timeout: 150_000 }, async () => {
    await page.getByRole('link', { name: 'Sign in' }).click({ timeout: 120_000 })
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('button[value="alice@example.com"]').click()
    await page.waitForURL(/\/live$/)
    await page.getByText('Signed in as alice').waitFor()
    await page.getByRole('link', { name: 'Your session' }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    expect(await page.locator('#requests').textContent()).toContain('/oauth2/v2.0/')
  })

  it('is readable in both colour schemes and at every width, and axe finds nothing', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        const cut =
          "[...document.querySelectorAll('.scroll')].filter(part => part.scrollWidth > part.clientWidth).length"
        if (width === 390) expect(await page.evaluate(cut)).toBe(0)
        expect(await findAccessibilityProblems(page), `${colorScheme} ${width}`).toEqual([])
      }
    }
  })

  it('ends at a signal, and nothing in the browser went wrong', async () => {
    expect(errors).toEqual([])
    demo.process.kill('SIGINT')
    expect(await demo.ended).toMatchObject({ status: 0 })
  })
})
