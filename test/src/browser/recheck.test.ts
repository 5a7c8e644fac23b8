import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { atToken, gatewayPage } from '../../../sandbox/testing/entra-faults.ts'
import { readSession, sealSession, sessionRules } from '../../../src/session/session.ts'
import { hasBrowser } from '../../support/browser.ts'
import { forms } from '../support/stage.ts'
import { startVisit } from './visit.ts'

const minute = 60_000
const name = '__Host-homeport-session'

describe.skipIf(!hasBrowser)('a session that Entra confirms every hour', () => {
  const visit = startVisit(
    'node',
    {},
    { ...forms['a path of two hosts'], AUTO_SIGN_IN: 'true', SESSION_RECHECK: '1h' },
  )
  const origins = () =>
    ['localhost', '127.0.0.1'].map(host => `http://${host}:${new URL(visit.stage.origin).port}`)
  /** Opens a page as the proxy does for a visitor whom the check does not let pass. */
  const enter = (page: Page, origin: string, path = '/week') =>
    page.goto(`${origin}/_homeport/?return=${path}`)
  const sessionOf = (page: Page): Promise<number> =>
    page.evaluate('fetch("/_homeport/api/session").then(answer => answer.status)')

  async function signedIn(origin: string) {
    const person = await visit.stage.hire()
    const page = await visit.context.newPage()
    await enter(page, origin)
    await visit.pick(page, person)
    await page.waitForURL(`${origin}/week`)
    return { person, page }
  }

  /** Makes the browser's sessions this much older for the directory, in milliseconds. */
  async function age(ms: number): Promise<void> {
    const rules = { ...sessionRules(visit.stage.sessionKeys, 8 * 60 * minute), recheckMs: 60 * minute }
    for (const { value, ...cookie } of await visit.context.cookies(origins())) {
      if (cookie.name !== name) continue
      const session = await readSession(rules, `${name}=${value}`)
      if (!session) throw new Error('The session cannot be read.')
      const sealed = await sealSession(rules, {
        ...session,
        provedAt: session.provedAt - ms,
        triedAt: session.triedAt - ms,
      })
      await visit.context.addCookies([{ ...cookie, value: /=([^;]+)/.exec(sealed)?.[1] ?? '' }])
    }
  }

  it('is not noticed by somebody who works in one tab all day, on two hosts', async () => {
    for (const origin of origins()) {
      await visit.context.clearCookies()
      const { page } = await signedIn(origin)
      for (let round = 0; round < 2; round += 1) {
        await age(61 * minute)
        await enter(page, origin, `/round/${round}`)
        await page.waitForURL(`${origin}/round/${round}`)
      }
    }
  })

  it('is not noticed in eight tabs that open at once', { timeout: 90_000 }, async () => {
    const [origin = ''] = origins()
    await signedIn(origin)
    await age(61 * minute)
    const pages = await Promise.all(Array.from({ length: 8 }, () => visit.context.newPage()))
    await Promise.all(
      pages.map(async (page, tab) => {
        await enter(page, origin, `/tab/${tab}`)
        await page.waitForURL(`${origin}/tab/${tab}`, { timeout: 60_000 })
      }),
    )
  })

  it('ends for a leaver within twice the time', async () => {
    const [origin = ''] = origins()
    const { person, page } = await signedIn(origin)
    visit.stage.setUser(person, { outcome: 'disabled' })
    await age(61 * minute)
    await enter(page, origin)
    await expect.poll(() => page.url()).not.toContain('/week')
    // What the browser does beside opening pages goes on until then.
    const status = async () => (await visit.context.request.get(`${origin}/_homeport/api/session`)).status()
    await age(60 * minute)
    expect(await status()).toBe(401)
  })

  it('shows the button if the person’s own session at Entra has ended, once a tab', async () => {
    const [origin = ''] = origins()
    const { person, page } = await signedIn(origin)
    const session = await visit.context.cookies(origin)
    await visit.context.clearCookies()
    await visit.context.addCookies(session.filter(cookie => cookie.name === name))
    await age(61 * minute)
    await enter(page, origin)
    const button = page.getByRole('button', { name: 'Sign in', exact: true })
    await button.waitFor()
    await page.waitForTimeout(300)
    expect(await sessionOf(page)).toBe(200)
    await button.click()
    await visit.pick(page, person)
    await page.waitForURL(`${origin}/week`)
    await age(61 * minute)
    await enter(page, origin, '/next')
    await page.waitForURL(`${origin}/next`)
  })

  it('goes on until the bound while Entra is away', async () => {
    const [origin = ''] = origins()
    const { page } = await signedIn(origin)
    visit.stage.entra.setFaults([atToken(gatewayPage, { times: null })])
    await age(61 * minute)
    await enter(page, origin, '/away')
    await page.waitForURL(`${origin}/away`)
    await age(60 * minute)
    await enter(page, origin)
    await page.getByRole('heading', { name: 'The identity provider is unavailable' }).waitFor()
  })

  it('waits for the button in a browser without storage', async () => {
    const [origin = ''] = origins()
    await signedIn(origin)
    await age(61 * minute)
    await visit.context.addInitScript(`Object.defineProperty(window, 'sessionStorage', { value: null })`)
    const page = await visit.context.newPage()
    await enter(page, origin)
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    await page.waitForTimeout(300)
    expect(page.url()).toContain('/_homeport/?return=/week')
  })
})
