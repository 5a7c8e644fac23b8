/** One request that reached the stand-in, on either origin. */
export interface EntraRequest {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** The raw query string, credentials redacted. */
  readonly query: string
  /** Names in lower case, credentials redacted. */
  readonly headers: Record<string, string>
  /** Credentials redacted; at most 64 KiB. */
  readonly body: string
  /** What was sent; null while nothing was, and for ever when the connection ended before a status line. */
  readonly status: number | null
}

type Open = { -readonly [Key in keyof EntraRequest]: EntraRequest[Key] }

const longestJournal = 10_000
const longestBody = 64 * 1024
const redacted = '<redacted>'
const credentialFields = new Set([
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'access_token',
  'refresh_token',
  'id_token_hint',
])

const nameOf = (raw: string): string => {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return raw
  }
}

/** Takes the values of credentials out of `a=b&c=d`, whichever way their names are encoded. */
const redactFields = (text: string): string =>
  text
    .split('&')
    .map(field => {
      const name = field.split('=', 1)[0] ?? ''
      return credentialFields.has(nameOf(name)) && field.length > name.length ? `${name}=${redacted}` : field
    })
    .join('&')

const redactHeader = (name: string, value: string): string => {
  if (name === 'cookie') return redacted
  if (name !== 'authorization') return value
  return /^\S+ /.test(value) ? value.replace(/ .*$/s, ` ${redacted}`) : redacted
}

/** What was asked, oldest first; beyond 10 000 requests the oldest are forgotten. */
export class Requests {
  readonly #secrets: () => readonly string[]
  #entries: Open[] = []

  /** @param secrets every value that must not appear wherever it stands */
  constructor(secrets: () => readonly string[]) {
    this.#secrets = secrets
  }

  /** Notes a request; the caller gives its body and its status as they become known. */
  open(
    method: string,
    path: string,
    query: string,
    headers: Readonly<Record<string, string>>,
  ): { body(text: string): void; status(status: number): void } {
    const entry: Open = {
      method,
      path: this.#withoutSecrets(path),
      query: this.#withoutSecrets(redactFields(query)),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          this.#withoutSecrets(redactHeader(name, value)),
        ]),
      ),
      body: '',
      status: null,
    }
    this.#entries.push(entry)
    if (this.#entries.length > longestJournal) this.#entries.shift()
    return {
      body: text => {
        entry.body = this.#withoutSecrets(redactFields(text)).slice(0, longestBody)
      },
      status: status => {
        entry.status = status
      },
    }
  }

  all(): readonly EntraRequest[] {
    return this.#entries
  }

  empty(): void {
    this.#entries = []
  }

  #withoutSecrets(text: string): string {
    const secrets = this.#secrets().filter(secret => secret !== '')
    return secrets.reduce(
      (rest, secret) => rest.replaceAll(secret, redacted).replaceAll(encodeURIComponent(secret), redacted),
      text,
    )
  }
}
