import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { ErrorForm } from '../cloudflare/errors.ts'
import type { FaultAnswer } from './fault-answers.ts'
import { isObject, type JsonObject } from './validation.ts'

/** An answer that is ready to be sent. */
export type HttpAnswer = {
  readonly status: number
  /** A name that stands several times, as Set-Cookie may, has a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Buffer
  /** The time before anything is sent. */
  readonly delayMs?: number
}

/** Where an answer goes. `begun` hears the status as soon as it is sent. */
export type Channel = { readonly response: ServerResponse; begun(status: number): void }

const bytesOf = ({ body }: HttpAnswer): Buffer => (typeof body === 'string' ? Buffer.from(body) : body)

const writable = (headers: HttpAnswer['headers']): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

const begin = ({ response, begun }: Channel, { status, headers }: HttpAnswer, length: number): void => {
  begun(status)
  response.writeHead(status, { ...writable(headers), 'content-length': length })
}

const mayHaveBody = (status: number): boolean => status !== 204 && status !== 304

/** Sends an answer whole. */
export const deliver = (channel: Channel, answer: HttpAnswer): void => {
  const body = mayHaveBody(answer.status) ? bytesOf(answer) : Buffer.alloc(0)
  const send = () => {
    begin(channel, answer, body.length)
    channel.response.end(body)
  }
  if (answer.delayMs === undefined || answer.delayMs === 0) {
    send()
    return
  }
  const timer = setTimeout(send, answer.delayMs)
  channel.response.once('close', () => clearTimeout(timer))
}

const drip = (channel: Channel, answer: HttpAnswer, everyMs: number): void => {
  const body = bytesOf(answer)
  begin(channel, answer, body.length)
  channel.response.flushHeaders()
  let sent = 0
  const timer = setInterval(() => {
    channel.response.write(body.subarray(sent, sent + 1))
    sent += 1
    if (sent >= body.length) channel.response.end()
  }, everyMs)
  channel.response.once('close', () => clearInterval(timer))
}

/** The object that an answer's text holds, or undefined when the text is something else. */
const parseEnvelope = (answer: HttpAnswer): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(String(answer.body))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const grow = (answer: HttpAnswer, bytes: number): HttpAnswer => {
  const envelope = parseEnvelope(answer)
  if (envelope === undefined) return { ...answer, body: String(answer.body).padEnd(bytes) }
  const padded = (padding: string) => JSON.stringify({ ...envelope, padding })
  const missing = Math.max(0, bytes - Buffer.byteLength(padded('')))
  return { ...answer, body: padded('x'.repeat(missing)) }
}

const alter = (answer: HttpAnswer, fields: JsonObject): HttpAnswer => {
  const envelope = parseEnvelope(answer)
  const result = envelope?.['result']
  const altered = (value: unknown) => (isObject(value) ? { ...value, ...fields } : value)
  if (!isObject(result) && !Array.isArray(result)) return answer
  return {
    ...answer,
    body: JSON.stringify({
      ...envelope,
      result: Array.isArray(result) ? result.map(altered) : altered(result),
    }),
  }
}

/** Sends the head and the first bytes of an answer, then calls `then`, and never the rest. */
const deliverPart = (channel: Channel, answer: HttpAnswer, bytes: number, then: () => void): void => {
  const body = bytesOf(answer)
  begin(channel, answer, body.length)
  const part = body.subarray(0, bytes)
  if (part.length > 0) channel.response.write(part, then)
  else {
    channel.response.flushHeaders()
    setImmediate(then)
  }
}

/**
 * Sends what a fault has in the place of the real answer.
 * @param real the answer that would have been sent
 * @param renderErrors makes the DNS service's envelope, in a form or else the one in force
 */
export const deliverFault = (
  channel: Channel,
  fault: FaultAnswer,
  real: HttpAnswer,
  renderErrors: (errors: readonly { code: number; message: string }[], form?: ErrorForm) => string,
): void => {
  const { response } = channel
  switch (fault.kind) {
    case 'respond':
      deliver(channel, { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' })
      break
    case 'errors':
      deliver(channel, {
        status: fault.status,
        headers: { 'content-type': 'application/json', ...fault.headers },
        body: renderErrors(fault.errors, fault.form),
      })
      break
    case 'cut':
      deliverPart(channel, real, fault.after, () => response.destroy())
      break
    case 'stall':
      if (fault.at === 'after-headers') deliverPart(channel, real, fault.after ?? 0, () => undefined)
      break
    case 'drip':
      drip(channel, real, fault.everyMs)
      break
    case 'reset':
      response.socket?.resetAndDestroy()
      break
    case 'oversize':
      deliver(channel, grow(real, fault.bytes))
      break
    case 'alter':
      deliver(channel, alter(real, fault.result))
      break
  }
}
