import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChromium } from '../../tools/chromium.ts'
import { findAccessibilityProblems } from '../support/axe.ts'
import { hasBrowser } from '../support/browser.ts'
import { startFront } from './front.ts'
import { findProxies } from './programs.ts'

const proxies = (await findProxies()).filter(({ basePath }) => basePath !== '')

describe.skipIf(!hasBrowser).each(proxies)(
  'an application with the whole host behind $name, in Chromium,',
  recipe => {
    const front = startFront(recipe)
    let browser: Awaited<ReturnType<typeof startChromium>>
    beforeAll(async () => {
      browser = await startChromium()
    })
    afterAll(() => browser?.close())

    it('is protected with its page, its own /api/auth/ and its WebSocket', async () => {
      const person = await front.stage().hire()
      const context = await browser.newContext()
      const origin = front.originOf('localhost')
      const page = await context.newPage()
      await page.goto(`${origin}/`)
      expect(new URL(page.url()).pathname).toBe('/_homeport/')
      expect(front.passed()).toEqual([])
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.locator(`button[value="${person.account}"]`).click()
      await page.waitForURL(`${origin}/`)
      await page.getByText('200 the application', { exact: true }).waitFor()
      await page.getByText(`hello ${person.userName}`, { exact: true }).waitFor()
      const sessions = 'UPDATE employees SET is_active = false WHERE id = $1'
      await front.stage().store.query(sessions, [person.employeeId])
      await page.evaluate('ask()')
      await page.getByText(/^401 .*"code":"signed-out"|^401 .*inactive/).waitFor()
      await page.reload()
      expect(new URL(page.url()).pathname).toBe('/_homeport/')
      const open = await page.evaluate(
        'Promise.all(["/manifest.webmanifest", "/"].map(path => fetch(path).then(answer => answer.status)))',
      )
      expect(open).toEqual([200, 401])
      await context.close()
    })

    it('has a page for when the handler is unavailable, which fits a phone, light and dark', async () => {
      const { port, stop } = await front.startUnavailable()
      const page = await browser.newPage({ viewport: { width: 360, height: 640 } })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect((await page.goto(`http://localhost:${port}/`))?.status()).toBe(503)
        await page.getByRole('heading', { name: 'The service is unavailable' }).waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
        expect(await findAccessibilityProblems(page)).toEqual([])
      }
      await page.close()
      await stop()
    })
  },
)
