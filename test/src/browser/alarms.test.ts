import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { startVisit } from './visit.ts'

describe.skipIf(!hasBrowser)('security: true, in Chromium,', () => {
  const visit = startVisit(
    'node',
    {},
    {
      REQUIRE_STATE: 'false',
      BIND_ON_FIRST_USE: 'employees',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  )
  const { open, press, pick, arrive } = visit

  type Line = Readonly<Record<string, unknown>>
  /** Runs what somebody does. Returns the log lines of its requests, once so many are for the route. */
  async function linesOf(route: string, work: () => Promise<unknown>, count = 1): Promise<readonly Line[]> {
    const before = visit.stage.output().length
    await work()
    const lines = () =>
      visit.stage
        .output()
        .slice(before)
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line) as Line)
    await expect
      .poll(() => lines().filter(line => line['route'] === route).length, { timeout: 5000 })
      .toBeGreaterThanOrEqual(count)
    return lines()
  }
  const alarms = (lines: readonly Line[]) => lines.filter(line => line['security']).map(line => line['code'])

  /** Opens a page with this markup, of the handler's origin or of another site. */
  async function openPage(html: string, isForeign: boolean): Promise<Page> {
    const { port } = new URL(visit.stage.origin)
    const url = `http://${isForeign ? '127.0.0.1' : 'localhost'}:${port}/application`
    await visit.context.route(url, route => route.fulfill({ contentType: 'text/html', body: html }))
    const page = await visit.context.newPage()
    await page.goto(url)
    return page
  }
  async function isAsked(page: Page): Promise<void> {
    await page.locator('button[name=account]').first().waitFor()
  }

  it.each([
    ['prefetches', '<link rel="prefetch" href="/">'],
    [
      'prefetches by a rule',
      '<script type="speculationrules">{"prefetch":[{"urls":["/"],"eagerness":"immediate"}]}</script>',
    ],
    [
      'prerenders',
      '<script type="speculationrules">{"prerender":[{"urls":["/"],"eagerness":"immediate"}]}</script>',
    ],
  ])('marks no page that %s the sign-in', async (_, html) => {
    const lines = await linesOf('/', () => openPage(`<!doctype html>${html}`, false))
    expect(lines).toMatchObject([{ route: '/', status: 403, code: 'cross-site', level: 'info' }])
    expect(alarms(lines)).toEqual([])
    visit.ignoreErrors(/prefetch|prerender/i)
  })

  it('marks no link of another site, even to the API', async () => {
    for (const path of ['/', '/dashboard', '/auth/callback', '/api/session']) {
      const route = path === '/auth/callback' ? 'callback-page' : path
      const page = await openPage(`<!doctype html><a href="${visit.stage.origin}${path}">Go</a>`, true)
      const lines = await linesOf(route, () => page.getByRole('link').click())
      expect(lines[0]).toMatchObject({ route, level: 'info', status: path === '/api/session' ? 403 : 200 })
      expect(alarms(lines)).toEqual([])
      // What the page asks by itself would count for the next one.
      await page.waitForLoadState('networkidle')
    }
  })

  it('marks nothing that one browser does with its own sign-ins', async () => {
    const person = await visit.stage.hire()
    const lines = await linesOf('/api/auth/logout', async () => {
      const [one, other, cancelled] = [await open(), await open(), await open()]
      for (const page of [one, other, cancelled]) {
        await press(page, 'Sign in')
        await isAsked(page)
      }
      const callbacks: string[] = []
      visit.context.on('request', request => {
        if (request.url().startsWith(`${visit.stage.redirectUri}?`)) callbacks.push(request.url())
      })
      await pick(one, person)
      await arrive(one, person)
      const [first = ''] = callbacks
      // Once more, with and without a session.
      await other.goto(first)
      await arrive(other, person)
      await press(one, 'Sign out')
      await one.waitForURL(`${visit.stage.origin}/`)
      await one.goto(first)
      await one.getByRole('heading', { name: 'This sign-in has expired' }).waitFor()
    })
    expect(lines.filter(({ code }) => code !== undefined)).toMatchObject([
      { code: 'sign-in-expired', level: 'info' },
    ])
    expect(alarms(lines)).toEqual([])
  })

  it('marks a request that a page of another site sends', async () => {
    const page = await openPage('<!doctype html><title>Another site</title>', true)
    const posted = await linesOf('/api/auth/logout', () =>
      page.evaluate(
        `document.body.innerHTML = '<form method="post" action="${visit.stage.origin}/api/auth/logout"></form>', document.forms[0].submit()`,
      ),
    )
    expect(posted[0]).toMatchObject({ code: 'cross-site', level: 'warning', security: true })
  })

  it('marks a network that guesses codes', async () => {
    await visit.startContext({ extraHTTPHeaders: { 'x-forwarded-for': '203.0.113.9' } })
    const page = await open()
    await press(page, 'Sign in')
    await isAsked(page)
    await page.goto(visit.stage.origin)
    const lines = await linesOf(
      '/api/auth/callback',
      () =>
        page.evaluate(
          `(async () => { for (let code = 0; code <= 30; code += 1) await fetch('/api/auth/callback?code=' + code) })()`,
        ),
      31,
    )
    expect(alarms(lines)).toEqual(['too-many-requests'])
    visit.ignoreErrors(/status of 429/)
  })
})
