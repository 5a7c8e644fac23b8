import { describe, expect, it } from 'vitest'
import { atToken, late } from '../../../sandbox/testing/entra-faults.ts'
import { buildPages } from '../../../src/pages/pages.ts'
import { hasBrowser } from '../../support/browser.ts'
import { runtimes } from '../support/stage.ts'
import { startVisit } from './visit.ts'

describe.skipIf(!hasBrowser).each(runtimes)('pages on %s, in Chromium,', runtime => {
  const visit = startVisit(runtime, {
    named: {
      APP_NAME: 'Timesheets & leave',
      AFTER_SIGN_IN_URL: '/openapi.json?view=week',
      LOGOUT_AT_PROVIDER: 'true',
      REDIRECT_URI: '{origin}/auth/callback',
    },
  })
  const { open, look, press, pick, signIn, arrive } = visit

  it('sign in, show the user and sign out', async () => {
    const person = await visit.stage.hire({ employee: { admin: true } })
    const page = await open()
    expect(await page.getByRole('button').count()).toBe(1)
    expect(await page.getByRole('link').allTextContents()).toEqual(['Use the old login'])
    await press(page, 'Sign in')
    await page.locator('button[name=account]').first().waitFor()
    await pick(page, person)
    await arrive(page, person)
    expect(await page.getByText('Administrator').isVisible()).toBe(true)
    expect(await page.evaluate('sessionStorage.getItem("homeport.user")')).toContain(person.employeeId)
    expect(await page.evaluate('document.cookie')).toBe('')
    await press(page, 'Sign out')
    await page.waitForURL(`${visit.stage.origin}/`)
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.goto(`${visit.stage.origin}/dashboard`)
    await page.waitForURL(`${visit.stage.origin}/`)
  })

  it('show every failure as a page', async () => {
    const person = await visit.stage.hire({ user: { outcome: 'not-assigned' } })
    const page = await open()
    await signIn(page, person)
    await page.getByRole('heading', { name: 'You are not assigned to this application' }).waitFor()
    expect(await page.title()).toBe('You are not assigned to this application')
    await page.goto(`${visit.stage.redirectUri}?code=stolen&state=other`)
    await page.getByRole('alert').waitFor()
    expect(page.url()).toBe(visit.stage.redirectUri)
    await page.goto(`${visit.stage.origin}/nowhere`)
    expect(await page.title()).toBe('Page not found')
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.waitForURL(`${visit.stage.origin}/`)
    await visit.context.setOffline(true)
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'The sign-in service is unavailable' }).waitFor()
    visit.ignoreErrors(/ERR_INTERNET_DISCONNECTED/)
  })

  if (runtime === 'worker') {
    it('have the markup and style that Node serves', async () => {
      const settings = { legacyLoginUrl: '/old-login', basePath: '', autoSignIn: false }
      const pages = await buildPages({ ...settings, afterSignInUrl: null, appName: null })
      for (const [path, { html }] of [
        ['/', pages.signIn],
        ['/auth/callback', pages.callback],
        ['/dashboard', pages.dashboard],
        ['/nowhere', pages.notFound],
      ] as const) {
        const answer = await fetch(`${visit.stage.origin}${path}`, { headers: { accept: 'text/html' } })
        // The Worker's bundle prints the same script differently; that it runs, the other tests show.
        const [served, built] = [await answer.text(), html].map(page => page.split(/<\/?script>/))
        expect(served, path).toHaveLength(3)
        expect([served?.[0], served?.[2]], path).toEqual([built?.[0], built?.[2]])
      }
    })
    return
  }

  it('tell a contractor whom to ask, and return to the page that sent them with another account', async () => {
    const [contractor, person] = [await visit.stage.hire({ employee: null }), await visit.stage.hire()]
    const path = '/openapi.json?week=47&return=/x%20y'
    const page = await open(`/?return=${path}`)
    await signIn(page, contractor)
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/not in the employee system[\s\S]*ask HR or your contact/)
    expect(page.url()).toBe(visit.stage.redirectUri)
    expect(await page.evaluate('document.activeElement.id')).toBe('problem-title')
    await press(page, 'Use another account')
    await page.waitForURL(`${visit.stage.origin}/?another&return=${path}`)
    await signIn(page, person)
    await page.waitForURL(`${visit.stage.origin}${path}`)
    expect(await page.evaluate('sessionStorage.getItem("homeport.return")')).toBeNull()
    // Signed in, the visitor is sent on without a click.
    await page.goto(`${visit.stage.origin}/?return=/dashboard`)
    await arrive(page, person)
  })

  it('name the application, continue to it, and sign out at the provider', async () => {
    const person = await visit.stage.hire()
    const { origin } = visit.stage.visitor('named')
    const page = await open()
    await signIn(page, person)
    await arrive(page, person)
    await page.goto(origin)
    await page.getByRole('heading', { name: 'Timesheets & leave', exact: true }).waitFor()
    await page.goto(`${origin}/dashboard`)
    await page.getByText(person.userName, { exact: true }).waitFor()
    const goOn = page.getByRole('link', { name: 'Continue to Timesheets & leave', exact: true })
    expect(await goOn.getAttribute('href')).toBe('/openapi.json?view=week')
    const actions = await page.getByRole('link').or(page.getByRole('button')).allTextContents()
    expect(actions).toEqual(['Continue to Timesheets & leave', 'Sign out', 'End all my sessions'])
    await look(page, 'dashboard-continue')
    // Without a code, the callback page goes where a sign-in would have ended.
    await page.goto(`${origin}/auth/callback`)
    await page.waitForURL(`${origin}/openapi.json?view=week`)
    await page.goto(`${origin}/dashboard`)
    await press(page, 'Sign out')
    const { instance, tenantId } = visit.stage.entra.description
    await page.waitForURL(`${instance}${tenantId}/oauth2/v2.0/logout`)
  })

  it('wait for the user to press the button (ASVS 5.0 7.6.2)', async () => {
    const person = await visit.stage.hire()
    const page = await open()
    await signIn(page, person)
    await arrive(page, person)
    await press(page, 'Sign out')
    await page.waitForURL(`${visit.stage.origin}/`)
    // The provider would now sign this user in without asking.
    const asked: string[] = []
    page.on('request', request => void asked.push(request.url()))
    await page.goto(`${visit.stage.origin}/`)
    await page.mouse.move(500, 350)
    await page.keyboard.press('Tab')
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    await page.waitForTimeout(300)
    expect(asked.filter(url => !url.startsWith('data:'))).toEqual([`${visit.stage.origin}/`])
    // A link from elsewhere does not sign in either.
    await page.goto(`${visit.stage.origin}/?code=x&state=y`)
    await page.waitForTimeout(300)
    expect(asked.filter(url => url.includes('/api/'))).toEqual([])
    await press(page, 'Sign in')
    await arrive(page, person)
    expect(asked).toContain(`${visit.stage.origin}/api/auth/login-url`)
  })

  it('keep the code out of the address bar and the history, and work after a reload', async () => {
    const person = await visit.stage.hire()
    const page = await open()
    visit.stage.entra.setFaults([atToken(late(400))])
    await signIn(page, person)
    await page.getByText('Signing you in…').waitFor()
    expect(page.url()).toBe(visit.stage.redirectUri)
    await arrive(page, person)
    await page.goBack().catch(() => null)
    expect(page.url()).not.toContain('code=')
    await page.goto(visit.stage.redirectUri)
    await arrive(page, person)
    await page.reload()
    await arrive(page, person)
    await visit.context.clearCookies()
    await page.goto(visit.stage.redirectUri)
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await press(page, 'Sign in again')
    await page.waitForURL(`${visit.stage.origin}/`)
  })

  it('say that a session has ended, and offer a signed-in person the way on', async () => {
    const person = await visit.stage.hire()
    const page = await open()
    await signIn(page, person)
    await arrive(page, person)
    await page.goto(visit.stage.origin)
    await page.getByText(`You are signed in as ${person.userName}.`).waitFor()
    await look(page, 'signed-in')
    await press(page, 'Sign out')
    await page.getByText('Sign in with your work account.').waitFor()
    // The provider signs this user in without asking.
    await press(page, 'Sign in')
    await arrive(page, person)
    await page.goto(visit.stage.origin)
    await page.getByRole('link', { name: 'Continue' }).click()
    await arrive(page, person)
    await visit.stage.store.query(`UPDATE employees SET is_active = false WHERE id = $1`, [person.employeeId])
    await page.goto(`${visit.stage.origin}/?return=/dashboard`)
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor()
    await look(page, 'ended')
    await press(page, 'Sign in')
    await page.getByRole('heading', { name: 'Your account is inactive' }).waitFor()
    expect(await page.getByRole('alert').textContent()).toContain(`You used ${person.account}.`)
  })

  it('end all sessions, which other tabs notice when they are seen again, and pages from the browser’s cache', async () => {
    const person = await visit.stage.hire()
    const [hidden, cached, page] = [await open(), await open(), await open()]
    await signIn(page, person)
    await arrive(page, person)
    for (const tab of [hidden, cached]) {
      await tab.goto(`${visit.stage.origin}/dashboard`)
      await arrive(tab, person)
    }
    await press(page, 'End all my sessions')
    await page.waitForURL(`${visit.stage.origin}/`)
    const shown = (persisted: boolean) =>
      cached.evaluate(`dispatchEvent(new PageTransitionEvent("pageshow", { persisted: ${persisted} }))`)
    await shown(false)
    await cached.waitForTimeout(200)
    expect(await cached.getByText(person.userName).isVisible()).toBe(true)
    await shown(true)
    await hidden.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    for (const tab of [hidden, cached]) {
      await tab.getByRole('heading', { name: 'You are signed out' }).waitFor()
      expect(await tab.getByText(person.userName).isVisible()).toBe(false)
      expect(await tab.evaluate('sessionStorage.length')).toBe(0)
    }
  })
})
