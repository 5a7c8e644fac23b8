import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type BrowserElement,
  type BrowserWindow,
  inTurn,
  keepFromApplication,
  type PageContext,
  recall,
  remember,
  returnPathIn,
  sayDone,
  setHidden,
  setText,
  showProblem,
  signOut,
} from '../../../src/pages/browser.ts'
import { buildPages } from '../../../src/pages/pages.ts'
import { callbackScript, dashboardScript, onwardScript, signInScript } from '../../../src/pages/scripts.ts'
import { root } from '../../../tools/bundle.ts'

/** Chromium's error for storage and locks while cookies are blocked. */
const refused = () => new DOMException('Access is denied for this document.', 'SecurityError')

type Answers = Readonly<Record<string, { readonly status: number; readonly body?: unknown }>>

interface Opened {
  /** Answers by the path below the base path. A request for another one fails, as without a connection. */
  readonly answers?: Answers
  /** Elements that only some sign-in pages have. */
  readonly has?: readonly string[]
  readonly autoSignIn?: boolean
  /** The page that led here. */
  readonly referrer?: string
  /** What the tab keeps; null for a browser that blocks cookies. */
  readonly kept?: Map<string, string> | null
}

/** Returns a browser at a page whose paths are below /_homeport, and what its script does with it. */
function open(search: string, opened: Opened = {}) {
  const { answers = {}, has = [], autoSignIn = false, referrer = '', kept = new Map() } = opened
  const done: string[] = []
  const listeners = new Map<string, (event: { persisted: boolean }) => void>()
  const elements = new Map<string, BrowserElement & { click?: () => void }>()
  function find(id: string) {
    if (['starting', 'recheck', 'go-on', 'who', 'open-again'].includes(id) && !has.includes(id)) return null
    const element: BrowserElement & { click?: () => void } = elements.get(id) ?? {
      hidden: id !== 'content',
      textContent: null,
      onclick: null,
      focus: () => void done.push(`focus ${id}`),
      addEventListener: (_, listener) => {
        element.click = listener
      },
    }
    elements.set(id, element)
    return element
  }
  const window: BrowserWindow = {
    document: {
      title: '',
      referrer,
      visibilityState: 'visible',
      getElementById: find,
      addEventListener: (name, listener) => void listeners.set(name, listener),
    },
    location: {
      origin: 'https://people.example.com',
      search: search.replace(/#.*/, ''),
      hash: /#.*/.exec(search)?.[0] ?? '',
      pathname: '/here',
      assign: url => void done.push(`assign ${url}`),
      replace: url => void done.push(`replace ${url}`),
      reload: () => void done.push('reload'),
    },
    history: { replaceState: (_, __, url) => void done.push(`history ${url}`) },
    get sessionStorage() {
      if (kept === null) throw refused()
      return {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
        removeItem: (key: string) => void kept.delete(key),
      }
    },
    navigator: {
      locks: { request: async (_, work) => (kept === null ? Promise.reject(refused()) : work()) },
      clipboard: { writeText: async text => void done.push(`copy ${text}`) },
      serviceWorker: { register: async url => void done.push(`worker ${url}`) },
    },
    async fetch(url, init) {
      done.push(`${init?.method ?? 'GET'} ${url}`)
      const answer = answers[url.replace('/_homeport', '').replace(/\?.*/, '')]
      if (!answer) throw new TypeError('Failed to fetch')
      return { ok: answer.status < 300, status: answer.status, json: async () => answer.body }
    },
    addEventListener: (name, listener) => void listeners.set(name, listener),
  }
  const context: PageContext = {
    showProblem: (...given) => showProblem(window, context, ...given),
    signOut: path => signOut(window, context, path),
    sayDone: before => sayDone(window, context, before),
    returnPathIn,
    remember,
    recall,
    inTurn,
    setText,
    setHidden,
    basePath: '/_homeport',
    afterSignIn: '/home',
    autoSignIn,
  }
  return {
    window,
    context,
    done,
    kept: kept ?? new Map<string, string>(),
    text: (id: string) => find(id)?.textContent,
    isShown: (id: string) => find(id)?.hidden === false,
    isDisabled: () => find('sign-in')?.disabled,
    /** Presses a button. */
    press: (id: string) => (find(id)?.onclick ?? find(id)?.click)?.(),
    dispatch: (name: string, persisted = false) => listeners.get(name)?.({ persisted }),
  }
}

const login = '/api/auth/login-url'
const session = '/api/session'
const callback = '/api/auth/callback'
const provider = 'https://login.example.com/authorize'
const ok = { status: 200, body: { url: provider } }
const noSession = { status: 401, body: { code: 'signed-out', status: 401, title: 'You are signed out' } }
const ada = { username: 'ada', resourceId: 'E1', isAdmin: true }
const asAda = { status: 200, body: { user: ada } }

/** Runs the script of a page that was opened so. */
async function visit(
  script: (window: BrowserWindow, context: PageContext) => void | Promise<void>,
  ...parts: Parameters<typeof open>
) {
  const page = open(...parts)
  await script(page.window, page.context)
  return page
}

describe('the sign-in page', () => {
  it('goes to Entra at a press, and keeps the path to return to in its tab', async () => {
    const page = await visit(signInScript, '?return=/week?a=b&c', { answers: { [login]: ok } })
    expect([page.done, page.isDisabled()]).toEqual([[], false])
    page.press('sign-in')
    expect(page.isDisabled()).toBe(true)
    await expect.poll(() => page.done).toEqual([`GET /_homeport${login}`, `assign ${provider}`])
    expect(page.kept).toEqual(new Map([['homeport.return', '/week?a=b&c']]))
    await expect.poll(page.isDisabled).toBe(false)
  })

  it('keeps no path that the server says cannot be returned to, so that the sign-in ends at the default', async () => {
    const kept = new Map([['homeport.return', '/earlier']])
    const page = await visit(signInScript, '?return=/a%5Cb', {
      answers: { [login]: ok },
      has: ['open-again'],
      kept,
    })
    page.press('sign-in')
    await expect.poll(() => page.done).toEqual([`GET /_homeport${login}`, `assign ${provider}`])
    expect(page.kept).toEqual(new Map())
  })

  it('gives the path away in a browser that blocks cookies, and starts nothing by itself there', async () => {
    const has = ['starting']
    const page = await visit(signInScript, '?return=/week', {
      answers: { [login]: ok },
      has,
      autoSignIn: true,
      kept: null,
    })
    expect(page.done).toEqual([])
    page.press('sign-in')
    await expect
      .poll(() => page.done)
      .toEqual([`GET /_homeport${login}?return=%2Fweek`, `assign ${provider}`])
  })

  it.each([
    ['?another&return=/week', [], '?prompt=select_account'],
    ['', ['go-on'], '?prompt=select_account'],
    ['?anotherone', [], ''],
    ['', ['recheck'], ''],
  ])('asks for the account at %j with %j', async (search, has, query) => {
    const page = await visit(signInScript, search, { answers: { [login]: ok }, has })
    page.press('sign-in')
    await expect.poll(() => page.done).toContain(`GET /_homeport${login}${query}`)
  })

  it('starts by itself once a tab, unless another account is wanted, and leaves no page behind', async () => {
    const options = { answers: { [login]: ok, [session]: noSession }, has: ['starting'], autoSignIn: true }
    const page = await visit(signInScript, '?return=/week', options)
    expect(page.isShown('starting')).toBe(true)
    const asked = [`GET /_homeport${session}`, `GET /_homeport${login}`]
    await expect.poll(() => page.done).toEqual([...asked, `replace ${provider}`])
    for (const [search, kept] of [
      ['?return=/week', page.kept],
      ['?another', new Map()],
    ] as const)
      expect((await visit(signInScript, search, { ...options, kept })).done, search).toEqual([])
    const forgetful = Object.assign(new Map(), { set: () => undefined })
    expect((await visit(signInScript, '', { ...options, kept: forgetful })).done).toEqual([])
    const pressed = await visit(signInScript, '', { ...options, has: [] })
    pressed.press('sign-in')
    expect(pressed.kept.get('homeport.started')).toBe('true')
  })

  describe('with a clock', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] }))
    afterEach(() => void vi.useRealTimers())
    const answers = { [login]: ok, [session]: noSession, [callback]: asAda }
    /** Opens a page that starts by itself, and comes back from Entra. Returns whether it started, and what it says. */
    async function round(kept: Map<string, string>, has = ['starting']) {
      const page = await visit(signInScript, '?return=/week', { answers, has, autoSignIn: true, kept })
      if (!page.isShown('starting')) return page.isShown('not-kept') ? 'says that nothing was kept' : 'waits'
      await expect.poll(() => page.done.at(-1)).toBe(`replace ${provider}`)
      await visit(callbackScript, '?code=c', { answers, kept })
      return page.isShown('not-kept') ? 'says too much' : 'starts'
    }

    it('starts by itself twice in a minute, and then says that the session was not kept', async () => {
      const kept = new Map<string, string>()
      expect([await round(kept), await round(kept)]).toEqual(['starts', 'starts'])
      vi.setSystemTime(Date.now() + 59_000)
      expect(await round(kept)).toBe('says that nothing was kept')
      expect(await round(kept, ['starting', 'recheck'])).toBe('says that nothing was kept')
      vi.setSystemTime(Date.now() + 1000)
      expect(await round(kept)).toBe('starts')
    })

    it.each([
      ['https://people.example.com/files?page=2', 'https://people.example.com/files?page=2'],
      ['https://elsewhere.example/', undefined],
      ['https://people.example.com.evil.example/', undefined],
      ['', undefined],
    ])(
      'says that it is done if the tab stays, as after a download, and links to %j',
      async (referrer, link) => {
        const kept = new Map<string, string>()
        const page = await visit(signInScript, '?return=/file', { answers, referrer, kept })
        page.press('sign-in')
        await expect.poll(() => page.done.at(-1)).toBe(`assign ${provider}`)
        const back = await visit(callbackScript, '?code=c', { answers, kept })
        const other = { ...answers, [session]: { status: 200 } }
        const has = ['starting']
        const late = await visit(signInScript, '?return=/file', {
          answers: other,
          has,
          referrer,
          autoSignIn: true,
        })
        await expect.poll(() => late.done.at(-1)).toBe('reload')
        expect([back.isShown('done'), late.isShown('done')]).toEqual([false, false])
        vi.advanceTimersByTime(4000)
        for (const tab of [back, late]) {
          expect([tab.isShown('done'), tab.isShown('busy'), tab.isShown('starting')]).toEqual([
            true,
            false,
            false,
          ])
          expect(tab.window.document.getElementById('before')?.href).toBe(link)
        }
        expect([...kept.keys()]).toEqual(['homeport.user'])
      },
    )

    it('in place of a redirect sends a tab on once in ten seconds for each path', async () => {
      const kept = new Map<string, string>()
      async function sent(path: string, tab: Map<string, string> | null = kept) {
        const page = await visit(onwardScript, `?return=${path}#part`, { kept: tab })
        return page.done.at(-1) ?? (page.isShown('content') && 'says so')
      }
      expect([await sent('/a b'), await sent('/c')]).toEqual(['replace /a b#part', 'replace /c#part'])
      expect([await sent('/c'), await sent('/a b'), await sent('/c', null)]).toEqual([
        'says so',
        'replace /a b#part',
        'says so',
      ])
      vi.setSystemTime(Date.now() + 10_000)
      expect(await sent('/a b')).toBe('replace /a b#part')
    })
  })

  it('reloads if another tab has signed this browser in, or has had its account confirmed', async () => {
    const options = { has: ['starting'], autoSignIn: true }
    const other = await visit(signInScript, '', { ...options, answers: { [session]: { status: 200 } } })
    await expect.poll(() => other.done).toEqual([`GET /_homeport${session}`, 'reload'])
    const answers = { [login]: { status: 200, body: {} } }
    const recheck = await visit(signInScript, '?return=/week', {
      ...options,
      has: ['starting', 'recheck'],
      answers,
    })
    await expect.poll(() => recheck.done).toEqual([`GET /_homeport${login}?prompt=none`, 'reload'])
  })

  it('shows a failure once, with the way to try again', async () => {
    const options = { has: ['starting'], autoSignIn: true }
    const page = await visit(signInScript, '', options)
    await expect.poll(() => page.text('problem-title')).toBe('The sign-in service is unavailable')
    expect(page.text('problem-action')).toBe('Try again')
    page.press('problem-action')
    expect(page.done.at(-1)).toBe('reload')
    const body = { code: 'return-invalid', title: 'This link cannot be followed', status: 400 }
    const answers = { [session]: noSession, [login]: { status: 400, body } }
    const failed = await visit(signInScript, '', { ...options, answers })
    await expect.poll(() => failed.text('problem-title')).toBe(body.title)
  })

  it('does not repeat a request that failed under its lock', async () => {
    const { window, context, done, press, isShown } = open('', { answers: { [login]: ok } })
    const request = () => Promise.reject(new TypeError('Failed to fetch'))
    signInScript({ ...window, navigator: { locks: { request } } }, context)
    press('sign-in')
    await expect.poll(() => isShown('problem')).toBe(true)
    expect(done).toEqual(['focus problem-title'])
  })
})

describe('the callback page', () => {
  const signedIn = { [callback]: asAda, [session]: { status: 200 } }

  it('takes the code out of the history, sends what the protocol has, and keeps the user', async () => {
    const kept = new Map([['homeport.started', 'true']])
    const page = await visit(callbackScript, '?code=a%20b&state=s&other=x&code=c', {
      answers: signedIn,
      kept,
    })
    const sent = `GET /_homeport${callback}?code=a+b&code=c&state=s`
    expect(page.done).toEqual(['history /here', sent, 'replace /home'])
    expect([...page.kept]).toEqual([['homeport.user', JSON.stringify(ada)]])
    expect(page.isShown('busy')).toBe(true)
  })

  it.each([
    ['?code=c', signedIn, '/week', '/_homeport/?return=/week'],
    ['?code=c', { [callback]: { status: 200, body: { user: ada, return: '/x' } } }, '/week', '/x'],
    ['?error=e', { [callback]: { status: 401, body: { code: 'recheck-refused' } } }, null, '/home'],
    ['', signedIn, null, '/home'],
  ])('of %j with %j and the path %j leads to %s', async (search, answers, path, target) => {
    const kept = new Map(path ? [['homeport.return', path]] : [])
    const page = await visit(callbackScript, search, { answers, kept })
    expect(page.done.at(-1)).toBe(`replace ${target}`)
    expect(page.kept.has('homeport.return')).toBe(false)
  })

  it.each([null, new Map()])('goes on in a browser that keeps %j', async kept => {
    expect((await visit(callbackScript, '?code=c', { answers: signedIn, kept })).done.at(-1)).toBe(
      'replace /home',
    )
  })

  it('shows the problem of the callback, of the session without a code, or that nothing answered', async () => {
    const body = { title: 'This browser did not start a sign-in', code: 'transaction-missing', status: 400 }
    const failed = await visit(callbackScript, '?code=c', { answers: { [callback]: { status: 400, body } } })
    const shown = [failed.text('problem-title'), failed.text('problem-action')]
    expect(shown).toEqual([body.title, 'Back to sign-in'])
    const none = await visit(callbackScript, '', { answers: { [session]: noSession } })
    expect(none.text('problem-title')).toBe('You are signed out')
    const unanswered = await visit(callbackScript, '?code=c')
    const told = [unanswered.text('problem-title'), unanswered.text('problem-action')]
    // The code is gone from the address, so the page would not try again.
    expect(told).toEqual(['The sign-in service is unavailable', 'Back to sign-in'])
  })
})

describe('the dashboard', () => {
  it('shows the user, looks again whenever it is seen, and forgets a user without a session', async () => {
    const answers: Record<string, { status: number; body?: unknown }> = { [session]: asAda }
    const page = await visit(dashboardScript, '', { answers })
    const shown = () => [page.text('username'), page.text('role'), ...['content', 'busy'].map(page.isShown)]
    await expect.poll(shown).toEqual(['ada', 'Administrator', true, false])
    expect(page.window.document.title).toBe('Dashboard')
    answers[session] = { status: 200, body: { user: { ...ada, isAdmin: false } } }
    page.dispatch('pageshow')
    expect(page.done).toHaveLength(1)
    page.dispatch('visibilitychange')
    await expect.poll(() => page.text('role')).toBe('Employee')
    expect(page.kept.get('homeport.user')).toContain('"isAdmin":false')
    answers[session] = noSession
    page.dispatch('pageshow', true)
    await expect.poll(() => page.text('problem-title')).toBe('You are signed out')
    expect([page.kept.size, page.isShown('content')]).toEqual([0, false])
  })

  it('leads people without a session to the sign-in page, and shows every other problem', async () => {
    const page = await visit(dashboardScript, '', { answers: { [session]: noSession } })
    expect(page.isShown('busy')).toBe(true)
    await expect.poll(() => page.done.at(-1)).toBe('replace /_homeport/')
    const away = { status: 503, body: { title: 'Away', status: 503 } }
    const failed = await visit(dashboardScript, '', { answers: { [session]: away } })
    await expect.poll(() => failed.text('problem-title')).toBe('Away')
    const offline = await visit(dashboardScript, '')
    await expect.poll(() => offline.text('problem-action')).toBe('Try again')
  })

  it('ends this session or all, or shows why not', async () => {
    const answers = { [session]: asAda, '/api/auth/logout-all': { status: 204 } }
    const page = await visit(dashboardScript, '', { answers })
    page.press('end-all')
    expect([page.text('busy'), page.isShown('busy'), page.isShown('content')]).toEqual([
      ...['Signing you out…', true, false],
    ])
    await expect.poll(() => page.done.at(-1)).toBe('replace /_homeport/')
    expect(page.done).toContain('POST /_homeport/api/auth/logout-all')
    expect(page.kept.has('homeport.user')).toBe(false)
    page.press('sign-out')
    await expect.poll(() => page.isShown('problem')).toBe(true)
    expect(page.done).toContain('POST /_homeport/api/auth/logout')
  })
})

describe('a problem', () => {
  const back = '/_homeport/?return=/week'
  const another = '/_homeport/?another&return=/week'
  it.each([
    [{ code: 'not-in-system', status: 401 }, 'Use another account', another, true],
    [{ code: 'not-assigned', status: 403 }, 'Use another account', another, true],
    [{ code: 'sign-in-expired', status: 401 }, 'Sign in again', back, false],
    [{ code: 'sign-in-refused', status: 403 }, 'Try again', back, false],
    [{ code: 'consent-required', status: 403, declined: true }, 'Try again', back, false],
    [{ code: 'cross-site', status: 403 }, 'Back to sign-in', back, false],
    [{ code: 'unexpected', status: 500 }, 'Try again', null, true],
  ])('%j offers to %s', (problem, label, target, hasWayBack) => {
    const page = open('', { kept: new Map([['homeport.return', '/week']]) })
    const whole = { ...problem, title: 'Title', detail: 'Why', correlationId: 'id' }
    showProblem(page.window, page.context, whole, true)
    expect(['problem-title', 'problem-detail'].map(page.text)).toEqual(['Title', 'Why'])
    expect(page.window.document.title).toBe('Title')
    expect([page.text('problem-action'), page.isShown('problem-back')]).toEqual([label, hasWayBack])
    page.press('problem-action')
    page.press('copy')
    const went = target === null ? 'reload' : `assign ${target}`
    expect(page.done).toEqual(['focus problem-title', went, 'copy id'])
    expect(['problem', 'problem-reference', 'copy'].map(page.isShown)).toEqual([true, true, true])
    expect(['busy', 'content'].map(page.isShown)).toEqual([false, false])
  })
})

describe('the markup', () => {
  const unset = { legacyLoginUrl: null, afterSignInUrl: null, appName: null }
  const settings = { ...unset, basePath: '/in', autoSignIn: false }

  it('says that scripts are needed, and has no button that looks alive without them', async () => {
    const { signIn, signInStart, signedIn, callback, dashboard, ...failures } = await buildPages(settings)
    for (const { html } of [signIn, signInStart, signedIn, callback, dashboard])
      expect(html).toContain('<noscript>')
    for (const { html } of [signIn, signInStart, signedIn])
      expect(html).toMatch(/<button id="sign-in" type="button"( class="second")? disabled>/)
    for (const { html } of [signInStart, callback, dashboard])
      expect(html).toMatch(/<p id="(starting|busy)" role="status" hidden>/)
    expect(dashboard.html).toContain('<div id="content" hidden>')
    expect(failures['not-found'].html).toContain('<a class="button" href="/in/">Back to sign-in</a>')
    expect(callback.html).toContain('<a href="/in/">Back to sign-in</a>')
  })

  it('needs nothing that the oldest browsers do not understand', async () => {
    const recipes = ['nginx.conf', 'nginx-host.conf', 'Caddyfile', 'Caddyfile-host'].map(name =>
      readFileSync(join(root, 'docs/proxies', name), 'utf8'),
    )
    const texts = [...recipes, ...Object.values(await buildPages(settings)).map(({ html }) => html)]
    const partsOf = (tag: string) =>
      texts.flatMap(text =>
        [...text.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, part]) => part ?? ''),
      )
    const [styles, scripts] = [partsOf('style'), partsOf('script')]
    expect([styles.length, scripts.length > 5]).toEqual([texts.length, true])
    const newer =
      /light-dark\(|color-mix\(|oklch\(|text-wrap|starting-style|popover|anchor|user-valid|(^|[{};])\s*&/
    expect(styles.filter(css => newer.test(css))).toEqual([])
    for (const script of scripts) {
      const [oldest, newest] = [['safari16', 'chrome109'], 'esnext'].map(
        target => transformSync(script, { target }).code,
      )
      expect(oldest).toBe(newest)
    }
  })
})

it('a handler with a path keeps an application’s service worker from its pages', () => {
  const { window, done } = open('')
  keepFromApplication(window, '/_homeport')
  keepFromApplication(window, '')
  expect(done).toEqual(['worker /_homeport/'])
})
