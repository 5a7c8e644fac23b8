import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { twoHosts } from '../support/stage.ts'
import { startVisit } from './visit.ts'

describe.skipIf(!hasBrowser)('a browser that restores its tabs', () => {
  const visit = startVisit('worker', {}, { ...twoHosts, AUTO_SIGN_IN: 'true' })

  it('ends signed in at each tab’s own path, on both hosts', { timeout: 120_000 }, async () => {
    const person = await visit.stage.hire()
    const { context } = visit
    const port = new URL(visit.stage.origin).port
    const origins = [`http://localhost:${port}`, `http://127.0.0.1:${port}`]
    async function arriveAt(origin: string, path: string, isAsked: boolean) {
      const page = await context.newPage()
      // As the proxy sends a visitor without a session.
      await page.goto(`${origin}/_homeport/?return=${path}`)
      if (isAsked) await visit.pick(page, person)
      await page.waitForURL(origin + path, { timeout: 60_000 })
      return page
    }
    await arriveAt(origins[0] ?? '', '/first', true)
    // Entra now signs this browser in without a question, so all tabs come back at about the same time.
    await context.clearCookies({ name: '__Host-homeport-session' })
    const paths = Array.from({ length: 10 }, (_, tab) => `/tickets/${tab}?view=${'x'.repeat(tab * 140)}`)
    for (const [origin, tabs] of [
      [origins[0] ?? '', 10],
      [origins[1] ?? '', 2],
    ] as const) {
      const pages = await Promise.all(paths.slice(0, tabs).map(path => arriveAt(origin, path, false)))
      const [session] = await Promise.all(
        pages.map(page => page.evaluate('fetch("/_homeport/api/session").then(answer => answer.status)')),
      )
      expect(session).toBe(200)
      for (const page of pages) await page.close()
    }
    const lines = visit.stage
      .output()
      .split('\n')
      .filter(line => line.includes('/api/auth/callback"'))
    // Tabs that were late found the session of the others.
    expect(lines.length).toBeLessThanOrEqual(13)
    expect(lines.filter(line => !line.includes('"status":200') || line.includes('"security"'))).toEqual([])
  })
})
