import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { startChromium } from '../../../tools/chromium.ts'
import { findAccessibilityProblems } from '../../support/axe.ts'
import { type Person, type Runtime, type Stage, type StageOptions, startStage } from '../support/stage.ts'

/** A browser at a stage: a new context for each test, and what users do in it. */
export interface Visit {
  readonly stage: Stage
  readonly context: BrowserContext
  /** Replaces the context of the test. */
  startContext(options: BrowserContextOptions): Promise<void>
  /** Forgets the errors in the browser's console that match. Any other fails the test. */
  ignoreErrors(pattern: RegExp): void
  open(path?: string): Promise<Page>
  /** Runs axe on a light, wide page and on a dark, narrow one, and checks that neither scrolls sideways. */
  look(page: Page, name: string): Promise<void>
  press(page: Page, name: string): Promise<void>
  pick(page: Page, person: Person): Promise<void>
  signIn(page: Page, person: Person): Promise<void>
  /** Waits for the dashboard of this person. */
  arrive(page: Page, person: Person): Promise<void>
}

/** Starts a stage and a browser for the tests of a file. */
export function startVisit(
  runtime: Runtime,
  variants: StageOptions['variants'] = {},
  env: StageOptions['env'] = {},
): Visit {
  let browser: Browser
  let stage: Stage
  let context: BrowserContext
  let errors: string[]

  beforeAll(async () => {
    browser = await startChromium()
    stage = await startStage(runtime, {
      env: { LEGACY_LOGIN_URL: '/old-login', REQUIRE_STATE: 'true', ...env },
      variants,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })
  beforeEach(async () => {
    stage.entra.setFaults([])
    errors = []
    context = await newContext({ viewport: { width: 1000, height: 700 } })
  })
  afterEach(async () => {
    await context.close()
    expect(errors).toEqual([])
  })

  async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const created = await browser.newContext(options)
    // Shorter than a test's, so that a failure names what was waited for.
    created.setDefaultTimeout(20_000)
    created.on('page', page => {
      page.on('console', message => {
        // Chromium logs a response with status 401 as a network error.
        if (message.type() === 'error' && !/status of (400|401|403|404|50\d)/.test(message.text()))
          errors.push(message.text())
      })
      page.on('pageerror', error => void errors.push(error.message))
    })
    return created
  }
  async function press(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click()
  }
  async function pick(page: Page, { account }: Person): Promise<void> {
    await page.locator(`button[value="${account}"]`).click()
  }

  return {
    get stage() {
      return stage
    },
    get context() {
      return context
    },
    press,
    pick,
    async startContext(options) {
      await context.close()
      context = await newContext(options)
    },
    ignoreErrors(pattern) {
      errors = errors.filter(text => !pattern.test(text))
    },
    async open(path = '/') {
      const page = await context.newPage()
      await page.goto(`${stage.origin}${path}`)
      return page
    },
    async look(page, name) {
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 320],
      ] as const) {
        await page.setViewportSize({ width, height: 640 })
        await page.emulateMedia({ colorScheme })
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
        expect(await findAccessibilityProblems(page), `${name} ${colorScheme} ${width}`).toEqual([])
      }
      await page.setViewportSize({ width: 1000, height: 700 })
      await page.emulateMedia({ colorScheme: null })
    },
    async signIn(page, person) {
      await press(page, 'Sign in')
      await pick(page, person)
    },
    async arrive(page, { userName }) {
      await page.waitForURL(`${stage.origin}/dashboard`)
      await page.getByText(userName, { exact: true }).waitFor()
    },
  }
}
