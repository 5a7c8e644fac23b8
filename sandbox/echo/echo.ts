import type { HttpAnswer } from '../http/delivery.ts'
import type { Service } from '../http/exchange.ts'
import {
  isObject,
  readArray,
  readHeaders,
  readInteger,
  readObject,
  readString,
  ValidationError,
} from '../http/validation.ts'

/** What one echo answers to a GET of its root. */
export type EchoAnswer = {
  readonly body: string
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly delayMs: number
}

/** A demonstration has three, as if three operators ran them. */
export const echoCount = 3

/** RFC 5737 reserves the range of this address for documentation. */
export const firstAddress = '203.0.113.10'

/** Answers with an address the way most echo services do: text, one line. */
export const addressAnswer = (address: string): EchoAnswer => ({
  body: `${address}\n`,
  status: 200,
  contentType: 'text/plain',
  headers: {},
  delayMs: 0,
})

const readAnswer = (value: unknown, where: string): EchoAnswer => {
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
 * Reads the body of `PUT /echo`: an address for all, or an answer for each with null for "as it is".
 * @throws ValidationError
 */
export const readEchoAnswers = (value: unknown, current: readonly EchoAnswer[]): EchoAnswer[] => {
  if (isObject(value) && 'address' in value) {
    const { address } = readObject(value, 'The body', ['address'])
    const answer = addressAnswer(readString(address, 'address'))
    return current.map(() => answer)
  }
  const { answers } = readObject(value, 'The body', ['address', 'answers'])
  const list = readArray(answers, 'answers')
  if (list.length !== current.length) {
    throw new ValidationError(
      `answers must have ${current.length} elements, one an echo; null leaves one as it is.`,
    )
  }
  return current.map((present, at) => (list[at] === null ? present : readAnswer(list[at], `answers[${at}]`)))
}

const plain = (status: number, body: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})

/** One echo; `current` gives what it answers now. */
export const echoService = (instance: number, current: () => EchoAnswer): Service => {
  const answer: Service['answer'] = ({ method, path, cite }) => {
    cite('echo.address')
    if (path !== '/') return plain(404, 'Not found: the address is at /.\n')
    if (method !== 'GET') return plain(405, 'Only GET is answered.\n')
    const { status, contentType, headers, body, delayMs } = current()
    return { status, headers: { 'content-type': contentType, ...headers }, body, delayMs }
  }
  return { name: 'echo', instance, answer, dryRun: answer }
}
