import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { startVisit } from './visit.ts'

describe.skipIf(!hasBrowser)('security: true, in Chromium,', () => {
  const visit = startVisit('node')

  type Line = Readonly<Record<string, unknown>>
  /** Runs what somebody does. Returns the log lines of its requests, once one is for the route. */
  async function linesOf(route: string, work: () => Promise<unknown>): Promise<readonly Line[]> {
    const before = visit.stage.output().length
    await work()
    const lines = () =>
      visit.stage
        .output()
        .slice(before)
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line) as Line)
    await expect.poll(() => lines().some(line => line['route'] === route)).toBe(true)
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
  it.each([
    ['prefetches', '<link rel="prefetch" href="/">'],
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

  it('marks a request that a page of another site sends', async () => {
    const page = await openPage('<!doctype html><title>Another site</title>', true)
    const posted = await linesOf('/api/auth/logout', () =>
      page.evaluate(
        `document.body.innerHTML = '<form method="post" action="${visit.stage.origin}/api/auth/logout"></form>', document.forms[0].submit()`,
      ),
    )
    expect(posted[0]).toMatchObject({ code: 'cross-site', level: 'warning', security: true })
  })
})
