import { describe, expect, it } from 'vitest'
import { routes } from '../../src/routes.ts'
import { readRedirectUri } from '../../src/settings/redirect-uri.ts'
import { startInProcess } from './support/in-process.ts'

const base = '/_homeport'

describe('with a base path', () => {
  it('every page and route is below it, and nothing outside', async () => {
    const [below, whole] = [startInProcess({ BASE_PATH: base }), startInProcess()]
    for (const path of [...Object.values(routes), '/auth/callback', '', '/nowhere']) {
      const expected = await whole.call(path || '/')
      const answer = await below.call(path)
      expect(answer.status, path).toBe(expected.status)
      expect(answer.headers.get('content-type'), path).toBe(expected.headers.get('content-type'))
    }
    for (const path of [...Object.values(routes), '/auth/callback', '/_homeport2/', '/_homepor']) {
      const answer = await below.call(`/..${path}`)
      expect(await answer.json(), path).toMatchObject({ code: 'not-found', status: 404 })
    }
  })

  it('the pages use its paths only', async () => {
    const app = startInProcess({ BASE_PATH: base })
    for (const path of ['/', '/auth/callback', '/dashboard']) {
      const page = await (await app.call(path)).text()
      expect(page, path).toContain(`basePath:"${base}"`)
      for (const [, target] of page.matchAll(/(?:href="|fetch\(['"`])(\/[^"'`$]*)/g))
        expect(target, path).toMatch(/^\/(_homeport\/|$)/)
    }
  })

  it('a sign-in ends at the application, / or where it started', async () => {
    const app = startInProcess({ BASE_PATH: base })
    expect(await (await app.call('/auth/callback')).text()).toContain('afterSignIn:"/"')
    expect(await (await app.call('/dashboard')).text()).toContain('<a class="button" href="/">')
    const own = startInProcess({ BASE_PATH: base, AFTER_SIGN_IN_URL: '/api/reports' })
    expect(await (await own.call('/auth/callback')).text()).toContain('afterSignIn:"/api/reports"')
  })

  it('the description names it as the server', async () => {
    const describe = async (BASE_PATH: string) =>
      (await (await startInProcess({ BASE_PATH }).call(routes.openapi)).json()) as object
    const [below, whole] = [await describe(base), await describe('')]
    expect(below).toEqual({ ...whole, servers: [{ url: base }] })
    expect(whole).not.toHaveProperty('servers')
  })

  it('the redirect URI can be anywhere but at the handler’s own paths', async () => {
    for (const path of ['/auth/callback', '/api/auth/callback', '/dashboard', `${base}/x`]) {
      const REDIRECT_URI = `https://people.example.com${path}`
      expect(readRedirectUri(REDIRECT_URI, base), path).toEqual({ value: REDIRECT_URI })
      const app = startInProcess({ BASE_PATH: base, REDIRECT_URI })
      const page = await app.call(`/..${path}?code=c&state=s`)
      expect([page.status, await page.text()], path).toEqual([200, expect.stringContaining('Signing you in')])
    }
    for (const path of [base, `${base}/`, `${base}/dashboard`, `${base}/api/x`, `${base}/%68ealthz`])
      expect(readRedirectUri(`https://people.example.com${path}`, base), path).toMatchObject({
        problems: [expect.stringContaining('already serves')],
      })
  })
})
