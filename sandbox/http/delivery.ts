import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** An answer that is ready to be sent. */
export interface HttpAnswer {
  readonly status: number
  /** A list is sent as several header fields, for Set-Cookie. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer
}

/** Returns an answer of one line of text. */
export const plainText = (status: number, line: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${line}\n`,
})

/** Statuses whose answers have no body (RFC 9110 section 6.4.1). */
const bodiless: readonly number[] = [204, 304]

/** Sends an answer. */
export function deliver(response: ServerResponse, { status, headers, body }: HttpAnswer): void {
  const fields: OutgoingHttpHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
  const bytes = Buffer.from(body)
  // A Content-Length is not allowed with 204, and with 304 it would be that of another answer (RFC 9110 section 8.6).
  if (bodiless.includes(status)) response.writeHead(status, fields).end()
  else response.writeHead(status, { ...fields, 'content-length': bytes.length }).end(bytes)
}
