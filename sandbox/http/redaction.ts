import type { Redaction, Service } from './emulated-service.ts'
import { type Body, isUpload } from './server.ts'

const redacted = '<redacted>'
const credentialHeaders = /^(authorization|proxy-authorization|cookie|x-auth-.*)$/

/** Redacts the credentials of all services in the journal. */
export class Redactor {
  readonly #rules: readonly Redaction[]

  constructor(services: readonly Service[]) {
    this.#rules = services.flatMap(({ redaction }) => redaction ?? [])
  }

  /** Returns the id of the known token that an Authorization header carries, or null. */
  tokenIdOf(authorization: string | undefined): string | null {
    for (const rule of this.#rules) {
      const id = rule.tokenIdOf?.(authorization) ?? null
      if (id !== null) return id
    }
    return null
  }

  /** Replaces the secrets of every service in a text, because a client may send one to the wrong service. */
  text(text: string): string {
    return this.#rules.reduce((rest, rule) => rule.redact?.(rest) ?? rest, text)
  }

  query({ redaction }: Service, query: string): string {
    return redaction?.confidential ? query.replace(/=[^&]*/g, '=…') : this.#fields(redaction, query)
  }

  headers(headers: Readonly<Record<string, string>>, tokenId: string | null): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (name === 'authorization') return [name, `Bearer <${tokenId ?? 'unknown'}>`]
        if (credentialHeaders.test(name)) return [name, redacted]
        return [name, this.text(name === 'referer' ? value.replace(/\?.*/s, '?…') : value)]
      }),
    )
  }

  /** Returns a body in the form for the journal, or null if there is none. */
  body({ redaction }: Service, body: Body, contentType: string | undefined): string | null {
    if (body.kind !== 'text') return null
    // Only its operation can describe an upload without its secrets.
    if (redaction?.confidential || isUpload(contentType)) return `${body.bytes.length} bytes`
    return this.#fields(redaction, body.text)
  }

  /** Redacts credentials in fields such as `a=b&c=d`, even if their names are percent-encoded. */
  #fields(redaction: Redaction | undefined, text: string): string {
    const names = redaction?.fields
    if (names === undefined) return this.text(text)
    const fields = text.split('&').map(field => {
      const [name = ''] = field.split('=', 1)
      const hidden = field.length > name.length && names.some(one => new URLSearchParams(name).has(one))
      return hidden ? `${name}=${redacted}` : field
    })
    return this.text(fields.join('&'))
  }
}
