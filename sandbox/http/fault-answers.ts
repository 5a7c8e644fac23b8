import type { HttpAnswer } from './delivery.ts'
import type { FaultAnswerReaders } from './service.ts'
import {
  type JsonObject,
  parseObject,
  readArray,
  readHeaders,
  readInteger,
  readObject,
  readOneOf,
  readString,
} from './validation.ts'

const maxBytes = 64 * 1024 * 1024
const maxDelayMs = 600_000

/** Reads a status that a fault answers with. @throws ValidationError */
export function readStatus(value: unknown, where: string): number {
  return readInteger(value, `${where}.status`, 200, 599)
}

/** What every answer of the kind `errors` has, whatever the service's form of errors. */
export interface ErrorAnswer<ServiceError> {
  readonly errors: readonly ServiceError[]
  readonly headers: Readonly<Record<string, string>>
  /** What `GET /state` shows of both. */
  readonly fields: JsonObject
}

/**
 * Reads an answer of the kind `errors`, its status apart.
 * @param more further fields that the service's form has
 * @throws ValidationError
 */
export function readErrorAnswer<ServiceError>(
  value: JsonObject,
  where: string,
  readError: (value: unknown, where: string) => ServiceError,
  more: readonly string[] = [],
): ErrorAnswer<ServiceError> {
  const known = ['kind', 'status', 'errors', 'headers', ...more]
  const given = readObject(value, where, known)
  const list = readArray(given['errors'], `${where}.errors`)
  const headers = readHeaders(given['headers'] ?? {}, `${where}.headers`)
  return {
    errors: list.map((error, at) => readError(error, `${where}.errors[${at}]`)),
    headers,
    fields: { errors: list, headers },
  }
}

/** Returns the object that the text of an answer holds, or undefined if the text is something else. */
export function parseJsonBody({ body }: HttpAnswer): JsonObject | undefined {
  return parseObject(String(body))
}

function grow(answer: HttpAnswer, bytes: number): HttpAnswer {
  const object = parseJsonBody(answer)
  if (object === undefined) return { ...answer, body: String(answer.body).padEnd(bytes) }
  const padded = (padding: string) => JSON.stringify({ ...object, padding })
  const missing = Math.max(0, bytes - Buffer.byteLength(padded('')))
  return { ...answer, body: padded('x'.repeat(missing)) }
}

function patch(answer: HttpAnswer, changes: JsonObject): HttpAnswer {
  const object = parseJsonBody(answer)
  if (object === undefined) return answer
  const changed = Object.entries({ ...object, ...changes }).filter(([, value]) => value !== null)
  return { ...answer, body: JSON.stringify(Object.fromEntries(changed)) }
}

/** The kinds of fault answer that every service has. */
export const commonFaultAnswers: FaultAnswerReaders = {
  respond(value, where) {
    const { status, headers, body } = readObject(value, where, ['kind', 'status', 'headers', 'body'])
    const answer = {
      status: readStatus(status, where),
      headers: readHeaders(headers ?? {}, `${where}.headers`),
      body: readString(body ?? '', `${where}.body`),
    }
    return { fields: answer, replace: () => answer }
  },
  cut(value, where) {
    const { after } = readObject(value, where, ['kind', 'after'])
    const bytes = readInteger(after, `${where}.after`, 0, maxBytes)
    return {
      fields: { after: bytes },
      alter: real => ({ ...real, sending: { how: 'part', bytes, ending: 'close' } }),
    }
  },
  truncate(value, where) {
    const { after } = readObject(value, where, ['kind', 'after'])
    const bytes = readInteger(after, `${where}.after`, 0, maxBytes)
    return {
      fields: { after: bytes },
      alter: real => ({ ...real, body: Buffer.from(real.body).subarray(0, bytes) }),
    }
  },
  stall(value, where) {
    const { at, after } = readObject(value, where, ['kind', 'at', 'after'])
    const place = readOneOf(at, `${where}.at`, ['before-headers', 'after-headers'] as const)
    const bytes = readInteger(after ?? 0, `${where}.after`, 0, maxBytes)
    const fields = { at: place, after: bytes }
    return place === 'before-headers'
      ? { fields, replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'silence' } }) }
      : { fields, alter: real => ({ ...real, sending: { how: 'part', bytes, ending: 'silence' } }) }
  },
  delay(value, where) {
    const byMs = readInteger(
      readObject(value, where, ['kind', 'byMs'])['byMs'],
      `${where}.byMs`,
      1,
      maxDelayMs,
    )
    return { fields: { byMs }, alter: real => ({ ...real, sending: { how: 'late', byMs } }) }
  },
  drip(value, where) {
    const { everyMs } = readObject(value, where, ['kind', 'everyMs'])
    const ms = readInteger(everyMs, `${where}.everyMs`, 1, 60_000)
    return { fields: { everyMs: ms }, alter: real => ({ ...real, sending: { how: 'drip', everyMs: ms } }) }
  },
  reset(value, where) {
    readObject(value, where, ['kind'])
    return {
      fields: {},
      replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'reset' } }),
    }
  },
  oversize(value, where) {
    const bytes = readInteger(
      readObject(value, where, ['kind', 'bytes'])['bytes'],
      `${where}.bytes`,
      1,
      maxBytes,
    )
    return { fields: { bytes }, alter: real => grow(real, bytes) }
  },
  alter(value, where) {
    const body = readObject(readObject(value, where, ['kind', 'body'])['body'], `${where}.body`)
    return { fields: { body }, alter: real => patch(real, body) }
  },
}
