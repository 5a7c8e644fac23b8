import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { startVisit } from './visit.ts'

// Markup and style decide these tests. They are the same on both runtimes, as `flows.ts` shows.
describe.skipIf(!hasBrowser)('pages in Chromium', () => {
  const visit = startVisit('node')
  const { open, look, press, signIn, arrive } = visit

  it('say that they need JavaScript, and show no button that looks alive without it', async () => {
    await visit.startContext({ javaScriptEnabled: false })
    for (const path of ['/', '/dashboard', new URL(visit.stage.redirectUri).pathname]) {
      const page = await open(path)
      await page.locator('noscript').waitFor()
      for (const button of await page.getByRole('button').all())
        expect(await button.isDisabled(), path).toBe(true)
      expect(await page.getByText(/…$/).isVisible(), path).toBe(false)
    }
  })

  it('have no accessibility problem that axe finds, light and dark, narrow and wide', async () => {
    const employee = { userName: 'a-very-long-name-that-does-not-fit' }
    const [person, stranger] = [
      await visit.stage.hire({ employee }),
      await visit.stage.hire({ employee: null }),
    ]
    const page = await open()
    await look(page, 'sign-in')
    await signIn(page, stranger)
    await page.getByRole('alert').waitFor()
    await look(page, 'not-in-system')
    await press(page, 'Use another account')
    await signIn(page, person)
    await arrive(page, person)
    await look(page, 'dashboard')
    await page.goto(`${visit.stage.origin}/nowhere`)
    await look(page, 'not-found')
  })

  it('show the keyboard focus and follow the system’s dark mode', async () => {
    const page = await open()
    const styleOf = (element: string, property: string) =>
      page.evaluate<string>(`getComputedStyle(${element})[${JSON.stringify(property)}]`)
    expect(await styleOf('document.querySelector("button")', 'outlineStyle')).toBe('none')
    for (const tag of ['BUTTON', 'A']) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.tagName')).toBe(tag)
      expect(await styleOf('document.activeElement', 'outlineStyle')).toBe('solid')
      expect(
        Number.parseFloat(await styleOf('document.activeElement', 'outlineWidth')),
      ).toBeGreaterThanOrEqual(2)
    }
    async function ground(colorScheme: 'light' | 'dark') {
      await page.emulateMedia({ colorScheme })
      const [red] = (await styleOf('document.body', 'backgroundColor')).match(/[\d.]+/g) ?? []
      return Number(red)
    }
    expect(await ground('light')).toBeGreaterThan(200)
    expect(await ground('dark')).toBeLessThan(60)
  })
})
