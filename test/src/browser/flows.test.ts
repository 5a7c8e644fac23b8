import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSessionKey } from '../../../src/session/keys.ts'
import { readSession, sealSession, sessionRules } from '../../../src/session/session.ts'
import { startChromium } from '../../../tools/chromium.ts'
import { findAccessibilityProblems } from '../../support/axe.ts'
import { hasBrowser, lackingBrowser, oldestBrowser } from '../../support/browser.ts'
import { timeLimit } from '../../support/time-limit.ts'
import { type Person, type Stage, startStage, twoHosts } from '../support/stage.ts'

const keys = createSessionKey(new Date())
let browser: Browser
let stage: Stage
let context: BrowserContext
let errors: string[]

/** Waits for a page to be a person's dashboard. */
async function arrive(page: Page, { userName }: Person) {
  await page.waitForURL(`${stage.origin}/_homeport/dashboard`)
  await page.getByText(userName, { exact: true }).waitFor()
}
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const pick = (page: Page, { account }: Person) => page.locator(`button[value="${account}"]`).click()

/** Runs axe on a page, and checks that it never scrolls sideways. */
async function look(page: Page, name: string, ...colorSchemes: readonly ('light' | 'dark')[]) {
  for (const width of [1280, 320]) {
    await page.setViewportSize({ width, height: 640 })
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
  }
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme })
    const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(/\(([0-5]?\d), /.test(String(ground)), name).toBe(colorScheme === 'dark')
    expect(await findAccessibilityProblems(page), `${name} ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null })
}

// `pages.test.ts` has what the scripts do, step by step.
describe.skipIf(!hasBrowser)(`a person in Chromium${lackingBrowser}`, () => {
  beforeAll(async () => {
    browser = await startChromium()
    stage = await startStage('worker', {
      ...twoHosts,
      AFTER_SIGN_IN_URL: '/_homeport/dashboard',
      AUTO_SIGN_IN: 'true',
      LEGACY_LOGIN_URL: '/old-login',
      LOGOUT_AT_PROVIDER: 'true',
      REQUIRE_STATE: 'true',
      SESSION_KEYS: keys,
      SESSION_RECHECK: '1h',
    })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })
  beforeEach(async () => {
    errors = []
    context = await browser.newContext()
    // The pages have only what the oldest browsers have.
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
    await context.close()
    expect(errors).toEqual([])
  })

  it('is refused, signs in with another account, and signs out, with nothing left in the browser', async () => {
    const [contractor, person] = [await stage.hire('contractor'), await stage.hire()]
    const home = `${stage.origin}/_homeport/`
    const page = await context.newPage()
    await page.goto(home)
    expect(await page.evaluate('newerThanOldest')).toBe('')
    await look(page, 'sign-in', 'dark')
    await page.keyboard.press('Tab')
    const outline = 'getComputedStyle(document.activeElement).outline'
    expect(await page.evaluate(outline)).toMatch(/solid [2-9]px|[2-9]px solid/)
    await press(page, 'Sign in')
    await pick(page, contractor)
    const alert = page.getByRole('alert')
    await alert.getByText(`You used ${contractor.account}.`).waitFor()
    expect(page.url()).toBe(stage.redirectUri)
    expect(await page.evaluate('document.activeElement.id')).toBe('problem-title')
    await look(page, 'not-in-system', 'light')
    await press(page, 'Use another account')
    await press(page, 'Sign in')
    await pick(page, person)
    await arrive(page, person)
    await look(page, 'dashboard', 'light', 'dark')
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('Object.keys(sessionStorage).join()')).toBe('homeport.user')
    await page.goto(home)
    await page.getByText(`You are signed in as ${person.userName}.`).waitFor()
    await look(page, 'signed-in', 'light')
    await press(page, 'Sign out')
    const { instance, tenantId } = stage.entra.description
    await page.waitForURL(`${instance}${tenantId}/oauth2/v2.0/logout`)
    await page.goto(`${home}dashboard`)
    await page.waitForURL(home)
    await page.goto(`${home}nowhere`)
    await look(page, 'not-found', 'dark')
  })

  /** Opens a page as a proxy does for a visitor without a session. */
  async function enter(origin: string, path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${origin}/_homeport/?return=${path}`)
    return page
  }

  it('ends signed in at each tab’s own path, on both hosts, until a sign-out', async () => {
    const person = await stage.hire()
    const before = stage.output().length
    const origin = stage.origin
    const other = stage.origin.replace('localhost', '127.0.0.1')
    const first = await enter(origin, '/first#/inbox/42')
    await pick(first, person)
    await first.waitForURL(`${origin}/first#/inbox/42`)
    await first.goBack()
    expect(first.url()).not.toContain('return=')
    // Entra now signs this browser in without a question, so all tabs come back at about the same time.
    await context.clearCookies({ name: '__Host-homeport-session' })
    const paths = Array.from({ length: 10 }, (_, tab) => `/tickets/${tab}?view=${'x'.repeat(tab * 140)}`)
    const status = 'fetch("/_homeport/api/session").then(answer => answer.status)'
    for (const [at, tabs] of [
      [origin, 10],
      [other, 1],
    ] as const) {
      const arrived = paths.slice(0, tabs).map(async path => {
        const page = await enter(at, path)
        await page.waitForURL(at + path, { timeout: timeLimit(60_000) })
        return page
      })
      const [page] = await Promise.all(arrived)
      expect(await page?.evaluate(status)).toBe(200)
    }
    const lines = stage
      .output()
      .slice(before)
      .split('\n')
      .filter(line => line.includes('/api/auth/callback"'))
    // Tabs that were late found the session of the others.
    expect(lines.length).toBeLessThanOrEqual(12)
    expect(lines.filter(line => !line.includes('"status":200') || line.includes('"security"'))).toEqual([])
    const page = await context.newPage()
    await page.goto(`${origin}/_homeport/dashboard`)
    const scope = 'navigator.serviceWorker.ready.then(({ scope }) => scope)'
    expect(await page.evaluate(scope)).toBe(`${origin}/_homeport/`)
    await press(page, 'Sign out')
    await page.waitForURL(/\/oauth2\/v2.0\/logout$/)
    const button = (await enter(origin, '/later')).getByRole('button', { name: 'Sign in', exact: true })
    // Long enough for a script that would start after all.
    await page.waitForTimeout(300)
    expect(await button.isEnabled()).toBe(true)
  })

  it('has Entra confirm a session that is due without a click, and comes back to its page and its fragment', async () => {
    const person = await stage.hire()
    const { origin } = stage
    const path = '/app?view=1#/inbox/42'
    const page = await enter(origin, path)
    await pick(page, person)
    await page.waitForURL(origin + path)
    // As it is an hour later.
    const hour = 3_600_000
    const rules = { ...sessionRules(keys, 8 * hour), recheckMs: hour }
    const cookies = await context.cookies()
    for (const cookie of cookies) {
      const session = await readSession(rules, `${cookie.name}=${cookie.value}`)
      if (!session) continue
      const set = await sealSession(rules, { ...session, provedAt: session.provedAt - hour - 1000 })
      const value = set.slice(set.indexOf('=') + 1, set.indexOf(';'))
      await context.addCookies([{ ...cookie, value }])
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

  it('comes to rest with a word if the application’s check takes no session', async () => {
    const person = await stage.hire()
    const { origin } = stage
    const asked: string[] = []
    const back = '/_homeport/?return=/app/1'
    await context.addInitScript(
      `if (location.pathname === '/app/1') location.replace(${JSON.stringify(back)})`,
    )
    const page = await enter(origin, '/app/1')
    page.on('request', request => void asked.push(request.url()))
    await pick(page, person)
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
