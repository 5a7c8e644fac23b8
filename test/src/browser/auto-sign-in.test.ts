import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../../support/browser.ts'
import { startVisit } from './visit.ts'

describe.skipIf(!hasBrowser)('a sign-in that starts by itself', () => {
  const visit = startVisit('node', {}, { AUTO_SIGN_IN: 'true' })
  const { open, press, pick, arrive } = visit

  /** Opens a page of the application as a proxy would: without a session, the visitor is sent to the sign-in page. */
  const enter = (page: Page) => page.goto(`${visit.stage.origin}/?return=/openapi.json?week=47`)
  const isAsked = (page: Page) => page.locator('button[name=account]').first().waitFor()
  async function expectButton(page: Page): Promise<void> {
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    await button.waitFor()
    // Long enough for a script that would start after all.
    await page.waitForTimeout(300)
    expect(await button.isEnabled()).toBe(true)
  }

  it('leads to the page that was asked for, and leaves no page that Back leads to', async () => {
    const person = await visit.stage.hire()
    const page = await open('/healthz')
    await enter(page)
    await isAsked(page)
    await pick(page, person)
    await page.waitForURL(/openapi/)
    // The account page of the emulator is one entry of the history.
    await page.goBack()
    expect(page.url()).not.toContain('return=')
  })

  it('starts once a tab, and in each of two', async () => {
    const page = await open()
    await enter(page)
    await isAsked(page)
    await page.goBack()
    await enter(page)
    await expectButton(page)
    const other = await open('/?return=/openapi.json')
    await isAsked(other)
  })

  it('stays away after a sign-out, in this tab and others, until the next sign-in', async () => {
    const person = await visit.stage.hire()
    const page = await open('/?return=/dashboard')
    await isAsked(page)
    await pick(page, person)
    await arrive(page, person)
    await press(page, 'Sign out')
    await page.waitForURL(`${visit.stage.origin}/`)
    await expectButton(page)
    await enter(page)
    await expectButton(page)
    const other = await open('/?return=/openapi.json')
    await expectButton(other)
    expect(await other.getByText('Your session has ended').count()).toBe(0)
    await press(other, 'Sign in')
    await other.waitForURL(/openapi/)
    await visit.context.clearCookies({ name: '__Host-homeport-session' })
    const third = await open('/?return=/openapi.json')
    await third.waitForURL(/openapi.json$/)
  })

  it('tells a refused contractor once, and does not loop', async () => {
    const contractor = await visit.stage.hire({ employee: null })
    const page = await open('/?return=/openapi.json')
    await isAsked(page)
    await pick(page, contractor)
    await page.getByText(`You used ${contractor.account}.`).waitFor()
    await enter(page)
    await expectButton(page)
  })

  it('shows a failure, and then the button', async () => {
    const page = await visit.context.newPage()
    await page.route('**/api/auth/login-url*', route => route.abort())
    await enter(page)
    await page.getByRole('heading', { name: 'The sign-in service is unavailable' }).waitFor()
    await press(page, 'Try again')
    await expectButton(page)
    visit.ignoreErrors(/net::ERR_FAILED/)
  })

  // `pages.test.ts` has a browser that refuses storage, or has none.
  it('waits for the button in a browser that forgets everything', async () => {
    const storage = '{ value: { getItem: () => null, setItem() {}, removeItem() {} } }'
    await visit.context.addInitScript(`Object.defineProperty(window, 'sessionStorage', ${storage})`)
    await expectButton(await open('/?return=/openapi.json'))
  })
})
