import { describe, expect, it } from 'vitest'
import {
  type BrowserElement,
  type BrowserWindow,
  inTurn,
  type PageContext,
  recall,
  remember,
  returnPathIn,
  showProblem,
} from '../../../src/pages/browser.ts'
import { callbackScript, signInScript } from '../../../src/pages/scripts.ts'

/** Chromium's error for storage and locks while cookies are blocked. */
function refused(): Error {
  return new DOMException('Access is denied for this document.', 'SecurityError')
}

/** A browser that blocks cookies, on a page with these elements, and the URLs that it went to and fetched. */
function browserWithoutCookies(
  search: string,
  answer: { readonly status: number; readonly body: unknown },
  lock: () => Promise<never> = () => Promise.reject(refused()),
) {
  const visited: string[] = []
  const fetched: string[] = []
  const elements = new Map<string, BrowserElement>()
  const clicks: (() => void)[] = []
  for (const id of ['sign-in', 'starting', 'busy', 'content', 'problem', 'problem-title', 'problem-action']) {
    elements.set(id, {
      hidden: id === 'problem',
      textContent: null,
      onclick: null,
      focus: () => undefined,
      addEventListener: (_, listener) => void clicks.push(listener),
    })
  }
  const go = (url: string) => void visited.push(url)
  const window: BrowserWindow = {
    document: {
      title: '',
      visibilityState: 'visible',
      getElementById: id => elements.get(id) ?? null,
      addEventListener: () => undefined,
    },
    location: { search, pathname: '/', assign: go, replace: go, reload: () => undefined },
    history: { replaceState: () => undefined },
    get sessionStorage(): never {
      throw refused()
    },
    navigator: { locks: { request: lock } },
    async fetch(url) {
      fetched.push(url)
      return { ok: answer.status === 200, status: answer.status, json: async () => answer.body }
    },
    addEventListener: () => undefined,
  }
  const context: PageContext = {
    showProblem: (problem, canReload) => showProblem(window, context, problem, canReload),
    signOut: async () => undefined,
    returnPathIn,
    remember,
    recall,
    inTurn,
    basePath: '/_homeport',
    afterSignIn: '/',
    autoSignIn: false,
  }
  return { window, context, elements, clicks, visited, fetched }
}

describe('in a browser that blocks cookies, the pages', () => {
  it('go to the provider', async () => {
    const url = 'https://login.example.com/authorize'
    const browser = browserWithoutCookies('?return=/timesheets/', { status: 200, body: { url } })
    signInScript(browser.window, browser.context)
    // Nothing starts by itself, since the tab cannot remember that it did.
    expect(browser.fetched).toEqual([])
    for (const click of browser.clicks) click()
    await expect.poll(() => browser.visited).toEqual([url])
    // The tab cannot keep the path.
    expect(browser.fetched).toEqual(['/_homeport/api/auth/login-url?return=%2Ftimesheets%2F'])
  })

  it.each([refused, () => null])('go on after a sign-in without storage: %s', async storage => {
    const { window, context, visited } = browserWithoutCookies('?code=c', { status: 200, body: { user: {} } })
    const get = () => {
      const found = storage()
      if (found) throw found
      return found
    }
    await callbackScript(Object.defineProperty(window, 'sessionStorage', { get }), context)
    expect(visited).toEqual(['/'])
  })

  it('show the problem of the callback', async () => {
    const title = 'This browser did not start a sign-in'
    const body = { title, code: 'transaction-missing', status: 400 }
    const { window, context, elements } = browserWithoutCookies('?code=c', { status: 400, body })
    await callbackScript(window, context)
    expect(elements.get('problem-title')?.textContent).toBe(title)
    expect(elements.get('problem')?.hidden).toBe(false)
  })
})

it('the sign-in page does not repeat a request that failed under its lock', async () => {
  const lost = () => Promise.reject(new TypeError('Failed to fetch'))
  const { window, context, elements, clicks, fetched } = browserWithoutCookies(
    '',
    { status: 200, body: {} },
    lost,
  )
  signInScript(window, context)
  for (const click of clicks) click()
  await expect.poll(() => elements.get('problem')?.hidden).toBe(false)
  expect(fetched).toEqual([])
})
