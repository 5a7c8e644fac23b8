import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** How to send an answer, if not completely and immediately. */
type Sending =
  | { readonly how: 'late'; readonly byMs: number }
  /** Sends nothing until the client disconnects. */
  | { readonly how: 'silence' }
  /** Resets the TCP connection before sending anything. */
  | { readonly how: 'reset' }

/** An answer that is ready to be sent. */
export interface HttpAnswer {
  readonly status: number
  /** A list is sent as several header fields, for Set-Cookie. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer
  readonly sending?: Sending
}

/** Returns an answer of one line of text. */
export const plainText = (status: number, line: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${line}\n`,
})

/** The destination of an answer. `begun` is called with the status when it is sent. */
export interface Channel {
  readonly response: ServerResponse
  begun(status: number): void
}

/** Statuses whose answers have no body (RFC 9110 section 6.4.1). */
const bodiless: readonly number[] = [204, 304]

function bytesOf({ status, body }: HttpAnswer): Buffer {
  if (bodiless.includes(status)) return Buffer.alloc(0)
  return typeof body === 'string' ? Buffer.from(body) : body
}

function begin({ response, begun }: Channel, { status, headers }: HttpAnswer, length: number): void {
  const fields: OutgoingHttpHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
  begun(status)
  // A Content-Length is not allowed with 204, and with 304 it would be that of another answer (RFC 9110 section 8.6).
  response.writeHead(status, bodiless.includes(status) ? fields : { ...fields, 'content-length': length })
}

function deliverWhole(channel: Channel, answer: HttpAnswer): void {
  const body = bytesOf(answer)
  begin(channel, answer, body.length)
  channel.response.end(body)
}

function deliverLate(channel: Channel, answer: HttpAnswer, byMs: number): void {
  const timer = setTimeout(() => deliverWhole(channel, answer), byMs)
  channel.response.once('close', () => clearTimeout(timer))
}

/** Sends an answer as its `sending` says. */
export function deliver(channel: Channel, answer: HttpAnswer): void {
  const { response } = channel
  const { sending } = answer
  if (sending === undefined) deliverWhole(channel, answer)
  else if (sending.how === 'late') deliverLate(channel, answer, sending.byMs)
  else if (sending.how === 'reset') response.socket?.resetAndDestroy()
}
