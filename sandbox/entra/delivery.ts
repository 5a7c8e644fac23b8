import type { ServerResponse } from 'node:http'
import type { Answer } from './answer.ts'

/** How an answer goes out. */
export type Delivery =
  | { readonly how: 'whole'; readonly answer: Answer; readonly delayMs?: number }
  /** One byte of the body at a time. */
  | { readonly how: 'drip'; readonly answer: Answer; readonly everyMs: number }
  /** Nothing, until the client leaves. */
  | { readonly how: 'silence' }
  /** A TCP reset. */
  | { readonly how: 'reset' }

const begin = (response: ServerResponse, { status, headers }: Answer, length: number): void => {
  // The OAuth library writes headers straight to the response; a fault replaces them with the rest.
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
  for (const [name, value] of Object.entries(rest)) {
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  }
  response.setHeader('content-length', length)
  response.writeHead(status)
}

const drip = (response: ServerResponse, body: Buffer, everyMs: number): void => {
  response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => {
    response.write(body.subarray(sent, sent + 1))
    sent += 1
    if (sent >= body.length) response.end()
  }, everyMs)
  response.once('close', () => clearInterval(timer))
}

/** Sends an answer as it is to be sent. `begun` hears the status as soon as it goes out. */
export const deliver = (
  response: ServerResponse,
  delivery: Delivery,
  begun: (status: number) => void,
): void => {
  if (delivery.how === 'silence') return
  if (delivery.how === 'reset') {
    response.socket?.resetAndDestroy()
    return
  }
  const { answer } = delivery
  const send = () => {
    const body = Buffer.from(answer.body)
    begun(answer.status)
    begin(response, answer, body.length)
    if (delivery.how === 'drip') drip(response, body, delivery.everyMs)
    else response.end(body)
  }
  const delayMs = delivery.how === 'whole' ? (delivery.delayMs ?? 0) : 0
  if (delayMs === 0) {
    send()
    return
  }
  const timer = setTimeout(send, delayMs)
  response.once('close', () => clearTimeout(timer))
}
