/**
 * The parts of a browser that the pages' scripts use. The scripts are functions of this module's types, written into
 * the pages as text, so that they are checked like everything else; the repository compiles without the DOM's types,
 * which would let server code use `document` unnoticed.
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

/** What the pages show of a failure: the answer's own fields, or what is said when no answer came. */
export interface ShownProblem {
  readonly title: string
  readonly detail: string
  readonly code: string
  readonly correlationId: string
}

export type ShowProblem = (window: BrowserWindow, problem: unknown) => void

/** Shows a failure in the page's alert and moves the focus there, so that a screen reader says it. */
export const showProblem: ShowProblem = (window, problem) => {
  const given = (typeof problem === 'object' && problem !== null ? problem : {}) as Partial<ShownProblem>
  const set = (id: string, text: string) => {
    const element = window.document.getElementById(id)
    if (element) element.textContent = text
  }
  const title = given.title || 'Sign-in could not be reached'
  window.document.title = title
  set('problem-title', title)
  set('problem-detail', given.detail || 'Check your connection, then try again.')
  set(
    'problem-reference',
    given.correlationId ? `Correlation id for the administrator: ${given.correlationId}` : '',
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
