import { createServer, type RequestListener, type Server } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createListener } from '../../../src/http/node-listener.ts'
import { startChromium } from '../../../tools/chromium.ts'
import { hasBrowser } from '../../support/browser.ts'
import { listen } from '../../support/listen.ts'
import { startInProcess } from '../support/in-process.ts'

/** An application that answers every page from its cache, as PWAs with `navigateFallback` do. */
const worker = `
self.addEventListener('install', event => {
  self.skipWaiting()
  event.waitUntil(caches.open('shell').then(cache => cache.add('/shell')))
})
self.addEventListener('activate', event => event.waitUntil(clients.claim()))
self.addEventListener('fetch', event => {
  if (event.request.mode === 'navigate') event.respondWith(caches.match('/shell'))
})`
const shell = `<!doctype html><title>Application</title><p>From the cache</p>
<script>navigator.serviceWorker.register('/sw.js')</script>`

describe.skipIf(!hasBrowser)('a service worker of the application, in Chromium,', () => {
  let browser: Browser
  let server: Server
  let origin: string

  beforeAll(async () => {
    browser = await startChromium()
    let handle: RequestListener | undefined
    server = createServer((request, response) => {
      if (request.url?.startsWith('/_homeport/')) return handle?.(request, response)
      const isScript = request.url === '/sw.js'
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      response.end(isScript ? worker : shell)
    })
    origin = (await listen(server)).replace('127.0.0.1', 'localhost')
    const env = { BASE_PATH: '/_homeport', REDIRECT_URI: `${origin}/_homeport/auth/callback` }
    handle = createListener(startInProcess(env).ask, [], null)
  })
  afterAll(async () => {
    await browser?.close()
    server?.closeAllConnections()
    server?.close()
  })

  it('hides neither the sign-in nor its callback', async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(10_000)
    const scope = () => page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')
    await page.goto(`${origin}/_homeport/?return=/tickets`)
    await expect
      .poll(() => page.evaluate('navigator.serviceWorker.getRegistration().then(found => found?.scope)'))
      .toBe(`${origin}/_homeport/`)
    await scope()
    await page.goto(`${origin}/`)
    await page.getByText('From the cache').waitFor()
    expect(await scope()).toBe(`${origin}/`)
    // The application's worker answers its pages: without a server, too.
    await page.waitForFunction('navigator.serviceWorker.controller !== null')
    await page.context().setOffline(true)
    await page.goto(`${origin}/tickets`)
    await page.getByText('From the cache').waitFor()
    await page.context().setOffline(false)
    await page.goto(`${origin}/_homeport/?return=/tickets`)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.goto(`${origin}/_homeport/auth/callback?code=code&state=state`)
    await page.getByRole('heading', { name: 'This browser did not start a sign-in' }).waitFor()
    await page.close()
  })
})
