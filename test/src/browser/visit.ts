import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { startChromium } from '../../../tools/chromium.ts'
import { findAccessibilityProblems } from '../../support/axe.ts'
import { type Env, type Person, type Stage, startStage } from '../support/stage.ts'

/** Starts a handler on a Worker and a browser, which has a new context for each test, and returns what users do in it. */
export function startVisit(env: Env) {
  let browser: Browser
  let stage: Stage
  let context: BrowserContext
  let errors: string[]

  beforeAll(async () => {
    browser = await startChromium()
    stage = await startStage('worker', env)
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })
  beforeEach(async () => {
    errors = []
    context = await browser.newContext({ viewport: { width: 1000, height: 700 } })
    // Shorter than a test's, so that a failure names what was waited for.
    context.setDefaultTimeout(20_000)
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

  return {
    get stage() {
      return stage
    },
    get context() {
      return context
    },
    async open(path = '/') {
      const page = await context.newPage()
      await page.goto(`${stage.origin}${path}`)
      return page
    },
    press: (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click(),
    pick: (page: Page, { account }: Person) => page.locator(`button[value="${account}"]`).click(),
    /** Waits for the dashboard of this person. */
    async arrive(page: Page, { userName }: Person) {
      await page.waitForURL(`${stage.origin}/dashboard`)
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
  }
}
