/**
 * The parts of a browser that the pages' scripts use. The repository compiles without the DOM's types, since server code
 * could use `document` unnoticed with them.
 */
export interface BrowserElement {
  hidden: boolean
  disabled?: boolean
  textContent: string | null
  focus(): void
  addEventListener(type: 'click', listener: () => void): void
}

export interface BrowserWindow {
  readonly document: {
    title: string
    readonly visibilityState: 'visible' | 'hidden'
    getElementById(id: string): BrowserElement | null
    addEventListener(type: 'visibilitychange', listener: () => void): void
  }
  readonly location: {
    readonly search: string
    readonly pathname: string
    assign(url: string): void
    replace(url: string): void
  }
  readonly history: { replaceState(data: unknown, unused: string, url: string): void }
  readonly sessionStorage: { setItem(key: string, value: string): void; removeItem(key: string): void }
  fetch(
    url: string,
    init?: { method?: string; headers?: Record<string, string> },
  ): Promise<{ readonly ok: boolean; readonly status: number; json(): Promise<unknown> }>
  addEventListener(type: 'pageshow', listener: (event: { readonly persisted: boolean }) => void): void
}

/** The fields of a problem response that pages show. */
export interface ShownProblem {
  readonly title: string
  readonly detail: string
  readonly code: string
  readonly correlationId: string
}

/** What a page's script gets besides its window. */
export interface PageContext {
  readonly showProblem: ShowProblem
  readonly returnPathIn: (search: string) => string | null
  /** Path to go to after a sign-in that names no other. */
  readonly afterSignIn: string
}

/** Returns the path in `?return=…`, which comes last: proxies cannot encode it, so everything that follows is its own. */
export function returnPathIn(search: string): string | null {
  return /[?&]return=(.*)$/.exec(search)?.[1] ?? null
}

export type ShowProblem = (window: BrowserWindow, problem: unknown) => void

/** Shows a problem, or that none arrived, in the page's alert. Moves the focus there for screen readers. */
export function showProblem(window: BrowserWindow, problem: unknown): void {
  const given = (typeof problem === 'object' && problem !== null ? problem : {}) as Partial<ShownProblem>
  function set(id: string, text: string): void {
    const element = window.document.getElementById(id)
    if (element) element.textContent = text
  }
  const title = given.title || 'The sign-in service is unavailable'
  window.document.title = title
  set('problem-title', title)
  set('problem-detail', given.detail || 'Check your connection, then try again.')
  set(
    'problem-reference',
    given.correlationId ? `Correlation ID for the administrator: ${given.correlationId}` : '',
  )
  for (const [id, hidden] of [
    ['problem', false],
    ['busy', true],
    ['content', true],
  ] as const) {
    const element = window.document.getElementById(id)
    if (element) element.hidden = hidden
  }
  window.document.getElementById('problem-title')?.focus()
}
