import type { HttpAnswer } from '../http/delivery.ts'
import type { Exchange, Service } from '../http/exchange.ts'
import {
  isObject,
  readArray,
  readHeaders,
  readInteger,
  readObject,
  readString,
  ValidationError,
} from '../http/validation.ts'

/** The answer of an echo to GET /. */
export interface EchoAnswer {
  readonly body: string
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
}

/** Three echoes stand for three operators, which is what a quorum needs. */
export const echoCount = 3

/** The initial address, from a range for documentation (RFC 5737). */
export const firstAddress = '203.0.113.10'

/** Returns the answer of most echo services: the address as one line of text. */
export const addressAnswer = (address: string): EchoAnswer => ({
  body: `${address}\n`,
  status: 200,
  contentType: 'text/plain',
  headers: {},
  delayMs: 0,
})

function readAnswer(value: unknown, where: string): EchoAnswer {
  const { body, status, contentType, headers, delayMs } = readObject(value, where, [
    'body',
    'status',
    'contentType',
    'headers',
    'delayMs',
  ])
  const { 'content-type': type } = readHeaders(
    { 'content-type': contentType ?? 'text/plain' },
    `${where}.contentType`,
  )
  return {
    body: readString(body, `${where}.body`),
    status: readInteger(status ?? 200, `${where}.status`, 200, 599),
    contentType: type ?? 'text/plain',
    headers: readHeaders(headers ?? {}, `${where}.headers`),
    delayMs: readInteger(delayMs ?? 0, `${where}.delayMs`, 0, 600_000),
  }
}

/**
 * Reads the body of `PUT /echo`: one address for all echoes, or one answer per echo, where null keeps the current one.
 * @throws ValidationError
 */
export function readEchoAnswers(value: unknown, current: readonly EchoAnswer[]): EchoAnswer[] {
  if (isObject(value) && 'address' in value) {
    const { address } = readObject(value, 'The body', ['address'])
    const answer = addressAnswer(readString(address, 'address'))
    return current.map(() => answer)
  }
  const { answers } = readObject(value, 'The body', ['address', 'answers'])
  const list = readArray(answers, 'answers')
  if (list.length !== current.length) {
    throw new ValidationError(
      `answers must have ${current.length} elements, one per echo. Use null to keep an answer.`,
    )
  }
  return current.map((answer, at) => (list[at] === null ? answer : readAnswer(list[at], `answers[${at}]`)))
}

const plain = (status: number, body: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})

/** Returns the service of an echo. `current` returns its current answer. */
export function echoService(instance: number, current: () => EchoAnswer): Service {
  function answer({ method, path, cite }: Exchange): HttpAnswer {
    cite('echo.address')
    if (path !== '/') return plain(404, 'Not found. The address is at /.\n')
    if (method !== 'GET') return plain(405, 'Method not allowed. Use GET.\n')
    const { status, contentType, headers, body, delayMs } = current()
    return { status, headers: { 'content-type': contentType, ...headers }, body, delayMs }
  }
  return { name: 'echo', instance, answer, dryRun: answer }
}
