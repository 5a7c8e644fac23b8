import type { BrowserWindow, ShowProblem } from './browser.ts'

/*
 * Each function is written into its page as text and runs in the browser, so none may use anything but its arguments.
 * Paths stand here as texts for the same reason; a test compares them with the routes.
 */

/** Sign-in page: one button, which asks for the provider's address and goes there. */
export function signInScript(window: BrowserWindow, showProblem: ShowProblem): void {
  const button = window.document.getElementById('sign-in')
  // After an account that may not enter, single sign-on would choose the same one again.
  const choose = window.location.search === '?another' ? '?prompt=select_account' : ''
  button?.addEventListener('click', async () => {
    button.disabled = true
    try {
      const answer = await window.fetch(`/api/auth/login-url${choose}`)
      const body = (await answer.json()) as { url?: string }
      if (answer.ok && body.url) window.location.assign(body.url)
      else showProblem(window, body)
    } catch {
      showProblem(window, null)
    } finally {
      button.disabled = false
    }
  })
}

/**
 * Callback page: takes the code out of the address bar and the history before anything else, sends it, stores the user
 * and goes on. Opened without a code, as after a reload, it goes where the session says.
 */
export async function callbackScript(window: BrowserWindow, showProblem: ShowProblem): Promise<void> {
  const given = new URLSearchParams(window.location.search)
  window.history.replaceState(null, '', window.location.pathname)
  try {
    if (!given.has('code') && !given.has('error')) {
      const session = await window.fetch('/api/session')
      window.location.replace(session.ok ? '/dashboard' : '/')
      return
    }
    const sent = new URLSearchParams()
    for (const name of ['code', 'state', 'iss', 'error', 'error_description']) {
      for (const value of given.getAll(name)) sent.append(name, value)
    }
    const answer = await window.fetch(`/api/auth/callback?${sent}`)
    const body = (await answer.json()) as { user?: unknown }
    if (!answer.ok) {
      showProblem(window, body)
      return
    }
    window.sessionStorage.setItem('homeport.user', JSON.stringify(body.user))
    window.location.replace('/dashboard')
  } catch {
    showProblem(window, null)
  }
}

/** Dashboard: who is signed in, as the store says whenever the page comes into view, and a way out. */
export function dashboardScript(window: BrowserWindow, showProblem: ShowProblem): void {
  const element = (id: string) => window.document.getElementById(id)
  const set = (id: string, text: string) => {
    const found = element(id)
    if (found) found.textContent = text
  }
  const refresh = async (first: boolean) => {
    try {
      const answer = await window.fetch('/api/session')
      const body = (await answer.json()) as {
        code?: string
        user?: { username: string; resourceId: string; isAdmin: boolean }
      }
      if (!answer.ok || !body.user) {
        window.sessionStorage.removeItem('homeport.user')
        if (first && body.code === 'signed-out') window.location.replace('/')
        else showProblem(window, body)
        return
      }
      window.sessionStorage.setItem('homeport.user', JSON.stringify(body.user))
      set('username', body.user.username)
      set('resource-id', body.user.resourceId)
      window.document.title = 'Dashboard'
      set('role', body.user.isAdmin ? 'Administrator' : 'Employee')
      for (const [id, hidden] of [
        ['busy', true],
        ['problem', true],
        ['content', false],
      ] as const) {
        const found = element(id)
        if (found) found.hidden = hidden
      }
    } catch {
      showProblem(window, null)
    }
  }
  element('sign-out')?.addEventListener('click', async () => {
    try {
      const answer = await window.fetch('/api/auth/logout', { method: 'POST' })
      if (answer.ok) {
        window.sessionStorage.removeItem('homeport.user')
        window.location.replace('/')
      } else showProblem(window, await answer.json())
    } catch {
      showProblem(window, null)
    }
  })
  window.document.addEventListener('visibilitychange', () => {
    if (window.document.visibilityState === 'visible') void refresh(false)
  })
  window.addEventListener('pageshow', event => {
    if (event.persisted) void refresh(false)
  })
  void refresh(true)
}
