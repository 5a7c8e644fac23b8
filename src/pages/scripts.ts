import type { BrowserElement, BrowserWindow, PageContext } from './browser.ts'

/*
 * Each function's source is written into its page, so it can use only its arguments. Its paths are literals for the same
 * reason; a test compares them with the routes.
 */

/** Sign-in page: its button requests the provider's URL and goes there. */
export function signInScript(window: BrowserWindow, context: PageContext): void {
  const { showProblem, returnPathIn, remember, basePath, autoSignIn } = context
  const button = window.document.getElementById('sign-in')
  if (!button) return
  // After an account that cannot sign in, single sign-on would choose the same one again.
  const { search } = window.location
  const another = /^\?another(&|$)/.test(search) || window.document.getElementById('go-on') !== null
  const path = returnPathIn(search)
  const ask = (returnTo: string | null) => {
    const query = new URLSearchParams()
    if (another) query.set('prompt', 'select_account')
    if (returnTo !== null) query.set('return', returnTo)
    const send = () => window.fetch(`${basePath}/api/auth/login-url${query.size > 0 ? '?' : ''}${query}`)
    // One tab at a time, since each response replaces the cookie of all: the next request must carry this one's.
    const locked = window.navigator.locks?.request('homeport-sign-in', send)
    // A browser that blocks cookies refuses locks.
    return locked?.catch(error => (error.name === 'SecurityError' ? send() : Promise.reject(error))) ?? send()
  }
  // Once a tab, so that nothing loops and people can stay out: only if the tab remembers it.
  const started = 'homeport.started'
  function isFirst(): boolean {
    try {
      const { sessionStorage } = window
      if (another || !sessionStorage || sessionStorage.getItem(started)) return false
      sessionStorage.setItem(started, 'true')
      return sessionStorage.getItem(started) !== null
    } catch {
      return false
    }
  }
  async function start(button: BrowserElement, go: (url: string) => void): Promise<void> {
    button.disabled = true
    try {
      if (autoSignIn) remember(window, started, 'true')
      let response = await ask(path)
      let body = (await response.json()) as { url?: string; code?: string }
      // A proxy can send anyone here with any path. An unusable one must not keep them from signing in.
      const unusable = body.code === 'return-invalid'
      if (unusable) {
        response = await ask(null)
        body = (await response.json()) as { url?: string }
      }
      // For a second attempt, with another account.
      remember(window, 'homeport.return', unusable ? null : path)
      if (response.ok && body.url) go(body.url)
      else showProblem(body, true)
    } catch {
      showProblem(null, true)
    } finally {
      button.disabled = false
    }
  }
  button.disabled = false
  button.addEventListener('click', () => void start(button, url => window.location.assign(url)))
  // Replaces this page, so that Back does not lead to it.
  const starting = window.document.getElementById('starting')
  if (!starting || !isFirst()) return
  starting.hidden = false
  void start(button, url => window.location.replace(url))
}

/**
 * Callback page: removes the code from the address bar and the history, then sends it, stores the user and goes to the
 * page that they wanted. Without a code, such as after a reload, people with a session go on, and others are told.
 */
export async function callbackScript(window: BrowserWindow, context: PageContext): Promise<void> {
  const { showProblem, remember, basePath, afterSignIn } = context
  const busy = window.document.getElementById('busy')
  if (busy) busy.hidden = false
  const given = new URLSearchParams(window.location.search)
  window.history.replaceState(null, '', window.location.pathname)
  try {
    if (!given.has('code') && !given.has('error')) {
      const session = await window.fetch(`${basePath}/api/session`)
      if (session.ok) window.location.replace(afterSignIn)
      else showProblem(await session.json(), false)
      return
    }
    const sent = new URLSearchParams()
    for (const name of ['code', 'state', 'iss', 'error', 'error_description']) {
      for (const value of given.getAll(name)) sent.append(name, value)
    }
    const response = await window.fetch(`${basePath}/api/auth/callback?${sent}`)
    const body = (await response.json()) as { user?: unknown; return?: string }
    if (!response.ok) {
      showProblem(body, false)
      return
    }
    remember(window, 'homeport.user', JSON.stringify(body.user))
    remember(window, 'homeport.return', null)
    window.location.replace(body.return ?? afterSignIn)
  } catch {
    showProblem(null, false)
  }
}

/** Dashboard: shows the user as the store has them, again whenever the page becomes visible, and signs out. */
export function dashboardScript(window: BrowserWindow, context: PageContext): void {
  const { showProblem, remember, basePath } = context
  const element = (id: string) => window.document.getElementById(id)
  function set(id: string, text: string): void {
    const found = element(id)
    if (found) found.textContent = text
  }
  function show(shown: readonly string[], hidden: readonly string[]): void {
    for (const id of [...shown, ...hidden]) {
      const found = element(id)
      if (found) found.hidden = hidden.includes(id)
    }
  }
  async function refresh(first: boolean): Promise<void> {
    try {
      const response = await window.fetch(`${basePath}/api/session`)
      const body = (await response.json()) as {
        code?: string
        user?: { username: string; resourceId: string; isAdmin: boolean }
      }
      if (!response.ok || !body.user) {
        remember(window, 'homeport.user', null)
        if (first && body.code === 'signed-out') window.location.replace(`${basePath}/`)
        else showProblem(body, true)
        return
      }
      remember(window, 'homeport.user', JSON.stringify(body.user))
      set('username', body.user.username)
      set('resource-id', body.user.resourceId)
      window.document.title = 'Dashboard'
      set('role', body.user.isAdmin ? 'Administrator' : 'Employee')
      show(['content'], ['busy', 'problem'])
    } catch {
      showProblem(null, true)
    }
  }
  async function signOut(path: string): Promise<void> {
    try {
      const response = await window.fetch(basePath + path, { method: 'POST' })
      if (!response.ok) {
        showProblem(await response.json(), true)
        return
      }
      remember(window, 'homeport.user', null)
      const body = (response.status === 200 ? await response.json() : {}) as { url?: string }
      window.location.replace(body.url ?? `${basePath}/`)
    } catch {
      showProblem(null, true)
    }
  }
  element('sign-out')?.addEventListener('click', () => void signOut('/api/auth/logout'))
  element('end-all')?.addEventListener('click', () => void signOut('/api/auth/logout-all'))
  window.document.addEventListener('visibilitychange', () => {
    if (window.document.visibilityState === 'visible') void refresh(false)
  })
  window.addEventListener('pageshow', event => {
    if (event.persisted) void refresh(false)
  })
  show(['busy'], [])
  void refresh(true)
}
