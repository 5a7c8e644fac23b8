/**
 * The parts of a browser that the pages' scripts use. The repository compiles without the DOM's types, with which server
 * code could use `document` unnoticed.
 */
export interface BrowserElement {
  hidden: boolean
  disabled?: boolean
  textContent: string | null
  onclick: (() => void) | null
  /** Of a link. */
  href?: string
  focus(): void
  addEventListener(type: 'click', listener: () => void): void
}

export interface BrowserWindow {
  readonly document: {
    title: string
    /** URL of the page that led here; blank if it is unknown. */
    readonly referrer: string
    readonly visibilityState: 'visible' | 'hidden'
    getElementById(id: string): BrowserElement | null
    addEventListener(type: 'visibilitychange', listener: () => void): void
  }
  readonly location: {
    readonly origin: string
    readonly search: string
    readonly hash: string
    readonly pathname: string
    assign(url: string): void
    replace(url: string): void
    reload(): void
  }
  readonly history: { replaceState(data: unknown, unused: string, url: string): void }
  /** Null in some embedded browsers; reading it fails where cookies or storage are blocked. */
  readonly sessionStorage: {
    getItem(key: string): string | null
    setItem(key: string, value: string): void
    removeItem(key: string): void
  } | null
  /** Its clipboard is missing outside https and localhost. */
  readonly navigator: {
    /** Locks between the tabs of an origin; missing in old browsers. */
    readonly locks?: { request<T>(name: string, work: () => Promise<T>): Promise<T> }
    readonly clipboard?: { writeText(text: string): Promise<void> }
    /** Missing outside https and localhost. */
    readonly serviceWorker?: { register(url: string): Promise<unknown> }
  }
  fetch(
    url: string,
    init?: { method?: string; headers?: Record<string, string> },
  ): Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>
  addEventListener(type: 'pageshow', listener: (event: { readonly persisted: boolean }) => void): void
}

/** Functions that every page has. Their sources are written into it. */
export const shared = { returnPathIn, remember, recall, inTurn, setText, setHidden }

/** What a page's script gets in addition to its window. */
export interface PageContext extends Readonly<typeof shared> {
  readonly showProblem: (problem: unknown, canReload: boolean) => void
  readonly signOut: (path: string) => Promise<void>
  readonly sayDone: (before: string | null) => void
  /** Path that the handler's own paths lie below; blank for none. */
  readonly basePath: string
  /** Path to go to after a sign-in by default. */
  readonly afterSignIn: string
  /** Whether sign-ins start by themselves, once a tab. */
  readonly autoSignIn: boolean
}

/** Returns the path in `?return=…`, which comes last: proxies cannot encode it, so it extends to the end of the query. */
export function returnPathIn(search: string): string | null {
  return /[?&]return=(.*)$/.exec(search)?.[1] ?? null
}

/**
 * Keeps a text for this tab; null forgets it. Returns whether it is kept: some browsers have no storage, or refuse it. No
 * sign-in depends on it, since the session is a cookie, and the state is in the callback's URL and in a sealed cookie.
 */
export function remember(window: BrowserWindow, key: string, text: string | null): boolean {
  try {
    const { sessionStorage } = window
    if (text === null) sessionStorage?.removeItem(key)
    else sessionStorage?.setItem(key, text)
    return text === null || sessionStorage?.getItem(key) === text
  } catch {
    return false
  }
}

/** Returns what this tab keeps; null if that is nothing. */
export function recall(window: BrowserWindow, key: string): string | null {
  try {
    return window.sessionStorage?.getItem(key) ?? null
  } catch {
    return null
  }
}

/** Sets the text of an element, if the page has it. */
export function setText({ document }: BrowserWindow, id: string, text: string): void {
  const element = document.getElementById(id)
  if (element) element.textContent = text
}

/** Hides or shows elements, by their ids, if the page has them. */
export function setHidden({ document }: BrowserWindow, hidden: Readonly<Record<string, boolean>>): void {
  for (const [id, isHidden] of Object.entries(hidden)) {
    const element = document.getElementById(id)
    if (element) element.hidden = isHidden
  }
}

/**
 * Sends requests while no other tab does, since each response replaces the cookie of all tabs: the next request must carry this
 * one's. A browser that blocks cookies refuses locks, and an old one has none.
 */
export function inTurn<T>({ navigator }: BrowserWindow, send: () => Promise<T>): Promise<T> {
  const locked = navigator.locks?.request('homeport-sign-in', send)
  return locked?.catch(error => (error.name === 'SecurityError' ? send() : Promise.reject(error))) ?? send()
}

/**
 * Registers an empty service worker for the handler's pages. Browsers choose the one with the longest path, so an application's
 * own, which answers every page from its cache, cannot hide the sign-in and its callback.
 */
export function keepFromApplication({ navigator }: BrowserWindow, basePath: string): void {
  if (basePath !== '') navigator.serviceWorker?.register(`${basePath}/`).catch(() => undefined)
}

/** Ends the session by a path of the API, and goes to the sign-in page, or to Entra's own sign-out. */
export async function signOut(
  window: BrowserWindow,
  { remember, setHidden, setText, showProblem, basePath }: Omit<PageContext, 'signOut'>,
  path: string,
): Promise<void> {
  setText(window, 'busy', 'Signing you out…')
  setHidden(window, { busy: false, content: true })
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

/**
 * Says some seconds after the tab was sent on that it stayed here, as it does for a download, and links to the page before.
 * @param before null if that is not known
 */
export function sayDone(
  window: BrowserWindow,
  { setHidden }: Pick<PageContext, 'setHidden'>,
  before: string | null,
): void {
  setTimeout(() => {
    const link = window.document.getElementById('before')
    if (link && before !== null) {
      link.href = before
      link.textContent = 'Back to the page before'
    }
    setHidden(window, { busy: true, starting: true, done: false })
  }, 4000)
}

/** The fields of a problem response that pages show. */
interface ShownProblem {
  readonly title: string
  readonly detail: string
  readonly status: number
  readonly code: string
  readonly correlationId: string
  readonly declined: boolean
}

/**
 * Shows a problem, or that no response arrived, in the page's alert, with one button for what to do next. Moves the
 * focus there for screen readers.
 * @param canReload whether loading the page again repeats what failed
 */
export function showProblem(
  window: BrowserWindow,
  { basePath, recall, setHidden, setText }: Omit<PageContext, 'showProblem'>,
  problem: unknown,
  canReload: boolean,
): void {
  const given = (typeof problem === 'object' && problem !== null ? problem : {}) as Partial<ShownProblem>
  const { code = '', status = 0, correlationId = '', declined } = given
  const element = (id: string) => window.document.getElementById(id)
  const set = (id: string, text: string) => setText(window, id, text)
  const title = given.title || 'The sign-in service is unavailable'
  window.document.title = title
  set('problem-title', title)
  set('problem-detail', given.detail || 'Check your connection, then try again.')
  set('correlation-id', correlationId)
  set('copy', 'Copy')

  // The account was refused, and single sign-on would choose the same one again.
  const over = ['signed-out', 'sign-in-expired'].includes(code)
  const refused = status === 401 || code === 'not-assigned'
  const another = refused && !over
  const reload = !another && status !== 403 && !over && canReload
  const again = reload || code === 'sign-in-refused' || declined
  const back = 'Back to sign-in'
  set('problem-action', another ? 'Use another account' : over ? 'Sign in again' : again ? 'Try again' : back)
  const path = recall(window, 'homeport.return')
  const query = [another ? 'another' : '', path === null ? '' : `return=${path}`].filter(Boolean).join('&')
  const action = element('problem-action')
  if (action) {
    action.onclick = () => {
      if (reload) window.location.reload()
      else window.location.assign(`${basePath}/${query === '' ? '' : `?${query}`}`)
    }
  }
  const copy = element('copy')
  const { clipboard } = window.navigator
  if (copy) {
    copy.onclick = () => {
      const copied = clipboard?.writeText(correlationId)
      copied?.then(
        () => set('copy', 'Copied'),
        () => set('copy', 'Select it instead'),
      )
    }
  }
  setHidden(window, {
    problem: false,
    'problem-back': !another && !reload,
    'problem-reference': correlationId === '',
    copy: clipboard === undefined,
    busy: true,
    content: true,
  })
  element('problem-title')?.focus()
}
