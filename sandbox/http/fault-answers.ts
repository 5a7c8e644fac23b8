import type { HttpAnswer } from './delivery.ts'
import type { FaultAnswerReaders } from './service.ts'
import {
  isObject,
  type JsonObject,
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

/** The object that the text of an answer holds, or undefined when the text is something else. */
export function parseJsonBody({ body }: HttpAnswer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(String(body))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
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
