import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { readSession, sealSession, sessionRules } from '../../../src/session/session.ts'
import { hasBrowser } from '../../support/browser.ts'
import { twoHosts } from '../support/stage.ts'
import { startVisit } from './visit.ts'

const minute = 60_000
const name = '__Host-homeport-session'

describe.skipIf(!hasBrowser)('a session that Entra confirms every hour', () => {
  const visit = startVisit('node', {}, { ...twoHosts, AUTO_SIGN_IN: 'true', SESSION_RECHECK: '1h' })
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
      await age(61 * minute)
      await enter(page, origin, '/later')
      await page.waitForURL(`${origin}/later`)
    }
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
})
