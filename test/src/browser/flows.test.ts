import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSessionKey } from '../../../src/session/keys.ts'
import { readSession, sealSession, sessionRules } from '../../../src/session/session.ts'
import { startChromium } from '../../../tools/chromium.ts'
import { findAccessibilityProblems } from '../../support/axe.ts'
import { hasBrowser, lackingBrowser, oldestBrowser } from '../../support/browser.ts'
import { timeLimit } from '../../support/time-limit.ts'
import { type Person, type Stage, startStage, twoHosts, type Variables } from '../support/stage.ts'

let browser: Browser
beforeAll(async () => {
  if (hasBrowser) browser = await startChromium()
})
afterAll(() => browser?.close())

/**
 * Starts a handler on a Worker, and a context of the browser for each test, and returns what users do in it. Its pages
 * have only what the oldest browsers have.
 */
function startVisit(env: Variables) {
  let errors: string[]
  const visit = {} as { stage: Stage; context: BrowserContext }

  beforeAll(async () => {
    visit.stage = await startStage('worker', env)
  })
  afterAll(async () => {
    await visit.stage?.close()
  })
  beforeEach(async () => {
    errors = []
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
    visit.context = context
    await context.addInitScript(oldestBrowser)
    // Shorter than a test's, so that a failure names what was waited for.
    context.setDefaultTimeout(timeLimit(60_000))
    context.on('page', page => {
      page.on('console', message => {
        // Chromium logs a response with status 401 as a network error.
        if (message.type() === 'error' && !/status of (400|401|403|404|50\d)/.test(message.text()))
          errors.push(message.text())
      })
      page.on('pageerror', error => void errors.push(error.message))
    })
  })
  afterEach(async () => {
    await visit.context.close()
    expect(errors).toEqual([])
  })

  return Object.assign(visit, {
    async open(path = '/') {
      const page = await visit.context.newPage()
      await page.goto(`${visit.stage.origin}${path}`)
      return page
    },
    press: (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click(),
    pick: (page: Page, { account }: Person) => page.locator(`button[value="${account}"]`).click(),
    /** Waits for the dashboard of this person. */
    async arrive(page: Page, { userName }: Person) {
      await page.waitForURL(`${visit.stage.origin}/dashboard`)
      await page.getByText(userName, { exact: true }).waitFor()
    },
    /** Runs axe on a light, wide page and on a dark, narrow one, and checks that neither scrolls sideways. */
    async look(page: Page, name: string) {
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 320],
      ] as const) {
        await page.setViewportSize({ width, height: 640 })
        await page.emulateMedia({ colorScheme })
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
        expect(await findAccessibilityProblems(page), `${name} ${colorScheme} ${width}`).toEqual([])
      }
      const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      expect(dark).toMatch(/\(([0-5]?\d), /)
      await page.setViewportSize({ width: 1000, height: 700 })
      await page.emulateMedia({ colorScheme: null })
    },
  })
}

// `pages.test.ts` has what the scripts do, step by step.
describe.skipIf(!hasBrowser)(`a person in Chromium${lackingBrowser}`, () => {
  const visit = startVisit({
    LEGACY_LOGIN_URL: '/old-login',
    REQUIRE_STATE: 'true',
    LOGOUT_AT_PROVIDER: 'true',
  })
  const { open, look, press, pick, arrive } = visit

  it('is refused, signs in with another account, and signs out, with nothing left in the browser', async () => {
    const [contractor, person] = [await visit.stage.hire('contractor'), await visit.stage.hire()]
    const page = await open('/?return=/dashboard')
    expect(await page.evaluate('newerThanOldest')).toBe('')
    await look(page, 'sign-in')
    await page.keyboard.press('Tab')
    const outline = 'getComputedStyle(document.activeElement).outline'
    expect(await page.evaluate(outline)).toMatch(/solid [2-9]px|[2-9]px solid/)
    await press(page, 'Sign in')
    await pick(page, contractor)
    const alert = page.getByRole('alert')
    await alert.getByText(`You used ${contractor.account}.`).waitFor()
    expect(page.url()).toBe(visit.stage.redirectUri)
    expect(await page.evaluate('document.activeElement.id')).toBe('problem-title')
    await look(page, 'not-in-system')
    await press(page, 'Use another account')
    await press(page, 'Sign in')
    await pick(page, person)
    await arrive(page, person)
    await look(page, 'dashboard')
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).toBe('homeport.user')
    await page.goto(visit.stage.origin)
    await page.getByText(`You are signed in as ${person.userName}.`).waitFor()
    await look(page, 'signed-in')
    await press(page, 'Sign out')
    const { instance, tenantId } = visit.stage.entra.description
    await page.waitForURL(`${instance}${tenantId}/oauth2/v2.0/logout`)
    await page.goto(`${visit.stage.origin}/dashboard`)
    await page.waitForURL(`${visit.stage.origin}/`)
    await page.goto(`${visit.stage.origin}/nowhere`)
    await look(page, 'not-found')
  })

  it('is not signed in without a press of the button (ASVS 5.0 7.6.2)', async () => {
    const person = await visit.stage.hire()
    const page = await open()
    await press(page, 'Sign in')
    await pick(page, person)
    await arrive(page, person)
    // Entra would now sign this person in without asking.
    await visit.context.clearCookies({ name: '__Host-homeport-session' })
    const asked: string[] = []
    page.on('request', request => void asked.push(request.url()))
    await page.goto(`${visit.stage.origin}/?return=/dashboard&code=x&state=y`)
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    await page.waitForTimeout(300)
    expect(asked.filter(url => url.includes('/api/'))).toEqual([])
  })
})

describe.skipIf(!hasBrowser)(`a browser that restores its tabs${lackingBrowser}`, () => {
  const keys = createSessionKey(new Date())
  const visit = startVisit({
    ...twoHosts,
    AUTO_SIGN_IN: 'true',
    SESSION_RECHECK: '1h',
    SESSION_KEYS: keys,
  })

  /** Opens a page as a proxy does for a visitor without a session. */
  async function enter(origin: string, path: string): Promise<Page> {
    const page = await visit.context.newPage()
    await page.goto(`${origin}/_homeport/?return=${path}`)
    return page
  }

  it('ends signed in at each tab’s own path, on both hosts, until a sign-out', {}, async () => {
    const person = await visit.stage.hire()
    const before = visit.stage.output().length
    const origin = visit.stage.origin
    const other = visit.stage.origin.replace('localhost', '127.0.0.1')
    const first = await enter(origin, '/first#/inbox/42')
    await visit.pick(first, person)
    await first.waitForURL(`${origin}/first#/inbox/42`)
    await first.goBack()
    expect(first.url()).not.toContain('return=')
    // Entra now signs this browser in without a question, so all tabs come back at about the same time.
    await visit.context.clearCookies({ name: '__Host-homeport-session' })
    const paths = Array.from({ length: 10 }, (_, tab) => `/tickets/${tab}?view=${'x'.repeat(tab * 140)}`)
    const status = 'fetch("/_homeport/api/session").then(answer => answer.status)'
    for (const [at, tabs] of [
      [origin, 10],
      [other, 2],
    ] as const) {
      const arrived = paths.slice(0, tabs).map(async path => {
        const page = await enter(at, path)
        await page.waitForURL(at + path, { timeout: timeLimit(60_000) })
        return page
      })
      const [page] = await Promise.all(arrived)
      expect(await page?.evaluate(status)).toBe(200)
    }
    const lines = visit.stage
      .output()
      .slice(before)
      .split('\n')
      .filter(line => line.includes('/api/auth/callback"'))
    // Tabs that were late found the session of the others.
    expect(lines.length).toBeLessThanOrEqual(13)
    expect(lines.filter(line => !line.includes('"status":200') || line.includes('"security"'))).toEqual([])
    const page = await visit.context.newPage()
    await page.goto(`${origin}/_homeport/dashboard`)
    const scope = 'navigator.serviceWorker.ready.then(({ scope }) => scope)'
    expect(await page.evaluate(scope)).toBe(`${origin}/_homeport/`)
    await visit.press(page, 'Sign out')
    await page.waitForURL(`${origin}/_homeport/`)
    const button = (await enter(origin, '/later')).getByRole('button', { name: 'Sign in', exact: true })
    // Long enough for a script that would start after all.
    await page.waitForTimeout(300)
    expect(await button.isEnabled()).toBe(true)
  })

  it('has Entra confirm a session that is due without a click, and comes back to its page and its fragment', async () => {
    const person = await visit.stage.hire()
    const { origin } = visit.stage
    const path = '/app?view=1#/inbox/42'
    const page = await enter(origin, path)
    await visit.pick(page, person)
    await page.waitForURL(origin + path)
    // As it is an hour later.
    const hour = 3_600_000
    const rules = { ...sessionRules(keys, 8 * hour), recheckMs: hour }
    const cookies = await visit.context.cookies()
    for (const cookie of cookies) {
      const session = await readSession(rules, `${cookie.name}=${cookie.value}`)
      if (!session) continue
      const set = await sealSession(rules, { ...session, provedAt: session.provedAt - hour - 1000 })
      const value = set.slice(set.indexOf('=') + 1, set.indexOf(';'))
      await visit.context.addCookies([{ ...cookie, value }])
    }
    const asked: string[] = []
    page.on('request', request => void asked.push(request.url()))
    await page.goto(`${origin}/_homeport/?return=${path}`)
    await page.waitForURL(origin + path)
    const prompts = asked.flatMap(url => new URL(url).searchParams.getAll('prompt'))
    expect(prompts).toEqual(['none', 'none'])
    // Nothing is left to ask.
    const again = 'fetch("/_homeport/api/auth/login-url?prompt=none").then(answer => answer.json())'
    expect(await page.evaluate(again)).toEqual({})
  })

  it('says that it is done after a download, and leads back to the page before', async () => {
    const person = await visit.stage.hire()
    const { origin } = visit.stage
    const file = '/files/report.pdf'
    await visit.context.route(`${origin}/files`, route =>
      route.fulfill({ contentType: 'text/html', body: `<a href="/_homeport/?return=${file}">Report</a>` }),
    )
    // Playwright intercepts no request that follows a redirect, so the handler's own is replaced.
    await visit.context.route(`${origin}/_homeport/?return=${file}`, async route => {
      const response = await route.fetch({ maxRedirects: 0 })
      const headers = { 'content-disposition': 'attachment; filename=report.pdf' }
      await route.fulfill(response.status() === 302 ? { headers, body: 'report' } : { response })
    })
    const page = await visit.context.newPage()
    await page.goto(`${origin}/files`)
    await page.getByText('Report').click()
    await Promise.all([page.waitForEvent('download'), visit.pick(page, person)])
    await page.getByText('Done.').waitFor()
    await page.getByText('Back to the page before').click()
    await page.waitForURL(`${origin}/files`)
  })

  it.each([
    ['the browser keeps no session', true],
    ['the application’s check takes no session', false],
  ])('comes to rest with a word if %s', async (_, isLost) => {
    const person = await visit.stage.hire()
    const { origin } = visit.stage
    const asked: string[] = []
    const back = '/_homeport/?return=/app/1'
    await visit.context.addInitScript(
      `if (location.pathname === '/app/1') location.replace(${JSON.stringify(back)})`,
    )
    if (isLost)
      await visit.context.route('**/api/auth/callback?*', async route => {
        const response = await route.fetch()
        await visit.context.clearCookies({ name: '__Host-homeport-session' })
        const headers = Object.entries(response.headers()).filter(([name]) => name !== 'set-cookie')
        await route.fulfill({ response, headers: Object.fromEntries(headers) })
      })
    const page = await enter(origin, '/app/1')
    page.on('request', request => void asked.push(request.url()))
    await visit.pick(page, person)
    await page.getByText('did not keep your session').waitFor()
    const count = asked.length
    await page.waitForTimeout(1000)
    expect(asked.length).toBe(count)
    expect(asked.filter(url => url.includes('/oauth2/v2.0/authorize?')).length).toBeLessThanOrEqual(2)
    expect(
      asked.filter(url => url.endsWith('/app/1') && !url.includes('return=')).length,
    ).toBeLessThanOrEqual(4)
  })
})
