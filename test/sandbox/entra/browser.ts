const maxRedirects = 10

interface Cookie {
  readonly value: string
  readonly path: string
}

/** Where a browser ended up: a page, or the first URL of the application. */
export interface Visit {
  readonly url: URL
  /** Absent if the URL was not requested. */
  readonly response?: Response
  /** The response body. */
  readonly text: string
}

/**
 * A minimal browser for sign-ins: keeps cookies by host and path, follows redirects and submits forms.
 * It stops at URLs of the application, where nothing listens.
 */
export class Browser {
  readonly #cookies = new Map<string, Map<string, Cookie>>()
  readonly #stopAt: (url: URL) => boolean

  constructor(application: string) {
    this.#stopAt = url => url.href.startsWith(application)
  }

  go(url: string | URL, form?: Readonly<Record<string, string>>): Promise<Visit> {
    const init = form && { method: 'POST', body: new URLSearchParams(form) }
    return this.#visit(new URL(url), init, maxRedirects)
  }

  /** Picks an account on the sign-in page by submitting its form. */
  pick(page: Visit, account: string): Promise<Visit> {
    const action = new RegExp(/action="([^"]+\/login)"/).exec(page.text)?.[1]
    if (action === undefined) throw new Error(`There is no sign-in form on:\n${page.text}`)
    return this.go(new URL(action, page.url), { account })
  }

  async #visit(url: URL, init: RequestInit | undefined, left: number): Promise<Visit> {
    if (this.#stopAt(url)) return { url, text: '' }
    if (left === 0) throw new Error(`More than ${maxRedirects} redirects, the last to ${url.href}.`)
    const cookie = this.#cookiesFor(url)
    const response = await fetch(url, { ...init, redirect: 'manual', headers: cookie ? { cookie } : {} })
    this.#keep(url, response.headers.getSetCookie())
    const location = response.headers.get('location')
    const text = await response.text()
    if (location === null || response.status < 300 || response.status > 399) return { url, response, text }
    return this.#visit(new URL(location, url), undefined, left - 1)
  }

  #jar(url: URL): Map<string, Cookie> {
    const jar = this.#cookies.get(url.hostname) ?? new Map<string, Cookie>()
    this.#cookies.set(url.hostname, jar)
    return jar
  }

  #keep(url: URL, fields: readonly string[]): void {
    for (const field of fields) {
      const [pair = '', ...attributes] = field.split(';').map(part => part.trim())
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const path = attributes.find(text => /^path=/i.test(text))?.slice(5) ?? '/'
      const ended = attributes.some(text => /^expires=thu, 01 jan 1970/i.test(text))
      if (ended) this.#jar(url).delete(`${name};${path}`)
      else this.#jar(url).set(`${name};${path}`, { value, path })
    }
  }

  #cookiesFor(url: URL): string {
    return [...this.#jar(url)]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([key, { value }]) => `${key.split(';')[0]}=${value}`)
      .join('; ')
  }
}
