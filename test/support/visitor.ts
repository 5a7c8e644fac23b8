/** A complete response of the handler. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body if it is JSON, else an empty object. */
  readonly body: Readonly<Record<string, unknown>>
}

type Fields = Readonly<Record<string, string>>

/** Headers that a browser adds to a page's own request. */
const ownPage: Fields = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}

const maxRedirects = 12

/**
 * A browser without pages: keeps cookies by host, follows redirects, submits the provider's sign-in forms, and does what
 * the handler's pages do with the result.
 */
export class Visitor {
  readonly origin: string
  readonly jar = new Map<string, Map<string, string>>()
  /** Path that the handler's own paths lie below. */
  readonly basePath: string
  /** Every secret this visitor received. None may show in a log. */
  readonly secrets = new Set<string>()

  constructor(origin: string, basePath = '') {
    this.origin = origin
    this.basePath = basePath
  }

  async request(url: string | URL, init: { method?: string; headers?: Fields; body?: URLSearchParams } = {}) {
    const target = new URL(url, this.origin)
    const cookies = [...(this.jar.get(target.hostname) ?? [])].map(([name, value]) => `${name}=${value}`)
    const headers = { ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}), ...init.headers }
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(target.hostname, line)
    const text = await response.text()
    const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '')
    const body = isJson ? (JSON.parse(text) as Answer['body']) : {}
    return { status: response.status, headers: response.headers, text, body } satisfies Answer
  }

  #keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map(part => part.trim())
    const [name = '', ...value] = pair.split('=')
    const jar = this.jar.get(host) ?? new Map<string, string>()
    this.jar.set(host, jar)
    const ended = attributes.some(
      attribute => /^max-age=0$/i.test(attribute) || /^expires=Thu, 01 Jan 1970/i.test(attribute),
    )
    if (ended || value.join('=') === '') jar.delete(name)
    else {
      jar.set(name, value.join('='))
      if (name.startsWith('__Host-')) this.secrets.add(value.join('='))
    }
  }

  /** Returns the handler's cookie of this name; undefined if there is none. */
  cookie(name: 'transaction' | 'session'): string | undefined {
    return this.jar.get(new URL(this.origin).hostname)?.get(`__Host-homeport-${name}`)
  }

  /** Sends a request as the handler's own pages do. */
  call(path: string, headers: Fields = {}): Promise<Answer> {
    return this.request(this.basePath + path, { headers: { ...ownPage, ...headers } })
  }

  /** Starts a sign-in. Returns the provider's URL. */
  async start(): Promise<URL> {
    const answer = await this.call('/api/auth/login-url')
    if (typeof answer.body['url'] !== 'string')
      throw new Error(`login-url returned ${answer.status}: ${answer.text}`)
    const url = new URL(answer.body['url'])
    this.secrets.add(url.searchParams.get('state') ?? '')
    return url
  }

  /**
   * Visits the provider and picks an account if it asks. Returns the parameters that the provider sends to the redirect URI.
   * Throws if the provider does not redirect back.
   */
  async visitProvider(url: URL, account: string): Promise<URLSearchParams> {
    let next = url
    let form: URLSearchParams | undefined
    for (let hop = 0; hop < maxRedirects; hop += 1) {
      const answer = await this.request(next, form ? { method: 'POST', body: form } : {})
      form = undefined
      const location = answer.headers.get('location')
      if (location) {
        next = new URL(location, next)
        if (next.origin !== this.origin) continue
        for (const name of ['code', 'state']) this.secrets.add(next.searchParams.get(name) ?? '')
        return next.searchParams
      }
      const action = /action="([^"]+\/login)"/.exec(answer.text)?.[1]
      if (!action) throw new Error(`The provider returned ${answer.status}: ${answer.text.slice(0, 600)}`)
      next = new URL(action, next)
      form = new URLSearchParams({ account })
    }
    throw new Error('The provider redirects in a loop.')
  }

  /** Calls the callback, as its page does. */
  callback(parameters: URLSearchParams | Fields, headers: Fields = {}): Promise<Answer> {
    return this.call(`/api/auth/callback?${new URLSearchParams(parameters)}`, headers)
  }

  /** Signs in from start to end. */
  async signIn(account: string): Promise<Answer> {
    return this.callback(await this.visitProvider(await this.start(), account))
  }

  session(): Promise<Answer> {
    return this.call('/api/session')
  }

  logout(): Promise<Answer> {
    return this.request(`${this.basePath}/api/auth/logout`, { method: 'POST', headers: ownPage })
  }
}
