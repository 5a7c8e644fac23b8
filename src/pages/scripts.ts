import type { BrowserElement, BrowserWindow, PageContext } from './browser.ts'

/*
 * Each function's source is written into its page, so it can use only its arguments. Its paths are literals for the same
 * reason; a test compares them with the routes.
 */

/** Sign-in page: its button requests Entra's URL and goes there. */
export function signInScript(window: BrowserWindow, context: PageContext): void {
  const { showProblem, returnPathIn, remember, recall, inTurn, setHidden, setText, basePath, autoSignIn } =
    context
  const element = (id: string) => window.document.getElementById(id)
  const button = element('sign-in')
  if (!button) return
  // After an account that cannot sign in, single sign-on would choose the same one again.
  const { search, hash, origin } = window.location
  const { referrer } = window.document
  const isSignedIn = element('go-on') !== null
  // Somebody with a session, whose account Entra has to confirm.
  const isRecheck = element('recheck') !== null
  const another = /^\?another(&|$)/.test(search) || isSignedIn
  // The server says that this path cannot be returned to.
  const path = element('open-again') ? null : returnPathIn(search)
  function ask(returnTo: string | null, isPressed: boolean) {
    const query = new URLSearchParams()
    if (another) query.set('prompt', 'select_account')
    else if (isRecheck && !isPressed) query.set('prompt', 'none')
    if (returnTo !== null) query.set('return', returnTo)
    // `size` is missing before Safari 17 and Chrome 113.
    const text = query.toString()
    return window.fetch(`${basePath}/api/auth/login-url${text === '' ? '' : '?'}${text}`)
  }
  // Once a tab until one succeeds, so that people can stay out: only if the tab remembers it. And twice in a minute, whatever
  // the outcomes were: a session that is not kept would lead here again, through Entra, for ever.
  const started = 'homeport.started'
  function mayStart(): boolean {
    if (another || recall(window, started) !== null) return false
    const times = 'homeport.times'
    const now = Date.now()
    const recent = (recall(window, times) ?? '')
      .split(' ')
      .filter(time => Math.abs(now - Number(time)) < 60_000)
    setHidden(window, { 'not-kept': recent.length < 2 })
    if (recent.length >= 2) return false
    return remember(window, times, [...recent, now].join(' ')) && remember(window, started, 'true')
  }
  const before = referrer.startsWith(`${origin}/`) ? referrer : null
  /** Loads this page again, which leads on, since another tab has done what this one wanted. */
  function reload(): void {
    remember(window, started, null)
    context.sayDone(before)
    window.location.reload()
  }
  async function start(button: BrowserElement, isPressed: boolean): Promise<void> {
    button.disabled = true
    try {
      if (autoSignIn) remember(window, started, 'true')
      // The callback page sends the tab there, and a second attempt too. A tab that keeps nothing gives the path away.
      // Only the tab has the fragment: browsers send none.
      const isStored = remember(window, 'homeport.return', path === null ? null : path + hash)
      remember(window, 'homeport.before', before)
      const response = await inTurn(window, async () => {
        // By now, another tab can have signed this browser in. A further sign-in would end that session.
        const isDone = !isPressed && !isRecheck && (await window.fetch(`${basePath}/api/session`)).ok
        return isDone ? null : ask(isStored ? null : path, isPressed)
      })
      if (!response) {
        reload()
        return
      }
      const body = (await response.json()) as { url?: string }
      if (response.ok && !body.url) reload()
      else if (!response.ok || !body.url) showProblem(body, true)
      else if (isPressed) window.location.assign(body.url)
      // Replaces this page, so that Back does not lead to it.
      else window.location.replace(body.url)
    } catch {
      showProblem(null, true)
    } finally {
      button.disabled = false
    }
  }
  button.disabled = false
  button.addEventListener('click', () => void start(button, true))
  if (isSignedIn) {
    element('sign-out')?.addEventListener('click', () => void context.signOut('/api/auth/logout'))
    const session = window.fetch(`${basePath}/api/session`).then(response => response.json())
    session.then(
      body => {
        const { user } = body as { user?: { username: string } }
        if (!user) return
        setText(window, 'username', user.username)
        setHidden(window, { who: false })
      },
      // The page can be used without the name.
      () => undefined,
    )
  }
  if (!element('starting') || !mayStart()) return
  setHidden(window, { starting: false })
  void start(button, false)
}

/**
 * Page in place of a redirect to somebody with a session, whom it sent to the same path three times within seconds: sends this tab
 * there once more, then says that the session is not kept.
 */
export function onwardScript(window: BrowserWindow, context: PageContext): void {
  const { returnPathIn, remember, recall, sayDone, setHidden } = context
  const key = 'homeport.onward'
  const now = Date.now()
  const path = returnPathIn(window.location.search)
  const [time, ...earlier] = (recall(window, key) ?? '').split(' ')
  const isAgain = earlier.join(' ') === path && Math.abs(now - Number(time)) < 10_000
  if (path !== null && !isAgain && remember(window, key, `${now} ${path}`)) {
    sayDone(null)
    window.location.replace(path + window.location.hash)
    return
  }
  setHidden(window, { content: false })
}

/**
 * Callback page: removes the code from the address bar and the history, then sends it, stores the user and goes to the
 * page that they wanted. Without a code, such as after a reload, people with a session go on, and others are told.
 */
export async function callbackScript(window: BrowserWindow, context: PageContext): Promise<void> {
  const { showProblem, remember, recall, inTurn, setHidden, basePath, afterSignIn } = context
  const path = recall(window, 'homeport.return')
  function goOn(returnTo = path === null ? afterSignIn : `${basePath}/?return=${path}`): void {
    context.sayDone(recall(window, 'homeport.before'))
    for (const key of ['homeport.return', 'homeport.before']) remember(window, key, null)
    // The sign-in page judges the tab's path again, then redirects there.
    window.location.replace(returnTo)
  }
  setHidden(window, { busy: false })
  const given = new URLSearchParams(window.location.search)
  window.history.replaceState(null, '', window.location.pathname)
  try {
    if (!given.has('code') && !given.has('error')) {
      const session = await window.fetch(`${basePath}/api/session`)
      if (session.ok) goOn()
      else showProblem(await session.json(), false)
      return
    }
    const sent = new URLSearchParams()
    for (const name of ['code', 'state', 'iss', 'error', 'error_description']) {
      for (const value of given.getAll(name)) sent.append(name, value)
    }
    const response = await inTurn(window, () => window.fetch(`${basePath}/api/auth/callback?${sent}`))
    const body = (await response.json()) as { user?: unknown; return?: string; code?: string }
    // The sign-in page has the button.
    if (body.code === 'recheck-refused') {
      goOn()
      return
    }
    if (!response.ok) {
      showProblem(body, false)
      return
    }
    remember(window, 'homeport.user', JSON.stringify(body.user))
    // The next sign-in may start by itself again.
    remember(window, 'homeport.started', null)
    goOn(body.return)
  } catch {
    showProblem(null, false)
  }
}

/** Dashboard: shows the user as the store has them, again whenever the page becomes visible, and signs out. */
export function dashboardScript(window: BrowserWindow, context: PageContext): void {
  const { showProblem, signOut, remember, setHidden, setText, basePath } = context
  const element = (id: string) => window.document.getElementById(id)
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
      setText(window, 'username', body.user.username)
      setText(window, 'resource-id', body.user.resourceId)
      window.document.title = 'Dashboard'
      setText(window, 'role', body.user.isAdmin ? 'Administrator' : 'Employee')
      setHidden(window, { content: false, busy: true, problem: true })
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
  setHidden(window, { busy: false })
  void refresh(true)
}
