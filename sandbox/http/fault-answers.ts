import type { HttpAnswer } from './delivery.ts'
import type { FaultAnswerAction, FaultAnswerReaders } from './emulated-service.ts'
import type { Exchange } from './exchange.ts'
import {
  type FieldsOf,
  integer,
  type JsonObject,
  listOf,
  oneOf,
  parseObject,
  type Reader,
  readFields,
  readHeaders,
  readObject,
  readString,
  withDefault,
} from './validation.ts'

const maxBytes = 64 * 1024 * 1024
const readBytes = integer(0, maxBytes)

/** Reads an HTTP status from 200 to 599. */
export const readStatus = integer(200, 599)

/** The headers field of an answer. */
export const headersField = { headers: withDefault({}, readHeaders) }

/**
 * Returns the reader of a kind of fault answer.
 * @param table the readers of its fields
 * @param act makes the action from the fields
 */
export function faultAnswer<const Table extends Readonly<Record<string, Reader<unknown>>>>(
  table: Table,
  act: (fields: FieldsOf<Table>) => Omit<FaultAnswerAction, 'fields'>,
): Reader<FaultAnswerAction> {
  return (value, where) => {
    const fields = readFields(value, where, table)
    return { fields, ...act(fields) }
  }
}

/**
 * Returns the reader of a fault answer with an error in the form of a service that returns one error at a time.
 * @param readItsStatus optional for a service that has a default
 * @param table the readers of the error's fields
 * @param answerTo returns the answer to a request, without the headers of the fault
 */
export function errorAnswer<Status, const Table extends Readonly<Record<string, Reader<unknown>>>>(
  readItsStatus: Reader<Status>,
  table: Table,
  answerTo: (exchange: Exchange, status: Status, error: FieldsOf<Table> | undefined) => HttpAnswer,
): Reader<FaultAnswerAction> {
  const readErrors = listOf((error, where) => readFields(error, where, table))
  return (value, where) => {
    const given = readObject(value, where, ['status', 'errors', 'headers'])
    const status = readItsStatus(given['status'], `${where}.status`)
    const errors = readErrors(given['errors'], `${where}.errors`)
    const headers = headersField.headers(given['headers'], `${where}.headers`)
    return {
      fields: { ...(status !== undefined && { status }), errors, headers },
      replace(exchange) {
        const answer = answerTo(exchange, status, errors[0])
        return { ...answer, headers: { ...answer.headers, ...headers } }
      },
    }
  }
}

/** Parses the body of an answer as a JSON object. Returns null if it is anything else. */
export function parseJsonBody({ body }: HttpAnswer): JsonObject | null {
  return parseObject(String(body))
}

function grow(answer: HttpAnswer, bytes: number): HttpAnswer {
  const object = parseJsonBody(answer)
  if (object === null) return { ...answer, body: String(answer.body).padEnd(bytes) }
  const padded = (padding: string) => JSON.stringify({ ...object, padding })
  const missing = Math.max(0, bytes - Buffer.byteLength(padded('')))
  return { ...answer, body: padded('x'.repeat(missing)) }
}

function patch(answer: HttpAnswer, changes: JsonObject): HttpAnswer {
  const object = parseJsonBody(answer)
  if (object === null) return answer
  const changed = Object.entries({ ...object, ...changes }).filter(([, value]) => value !== null)
  return { ...answer, body: JSON.stringify(Object.fromEntries(changed)) }
}

/** The kinds of fault answer that every service has. */
export const commonFaultAnswers: FaultAnswerReaders = {
  respond: faultAnswer(
    { status: readStatus, ...headersField, body: withDefault('', readString) },
    answer => ({ replace: () => answer }),
  ),
  cut: faultAnswer({ after: readBytes }, ({ after }) => ({
    alter: real => ({ ...real, sending: { how: 'part', bytes: after, ending: 'close' } }),
  })),
  truncate: faultAnswer({ after: readBytes }, ({ after }) => ({
    alter: real => ({ ...real, body: Buffer.from(real.body).subarray(0, after) }),
  })),
  stall: faultAnswer(
    { at: oneOf(['before-headers', 'after-headers']), after: withDefault(0, readBytes) },
    ({ at, after }) =>
      at === 'before-headers'
        ? { replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'silence' } }) }
        : { alter: real => ({ ...real, sending: { how: 'part', bytes: after, ending: 'silence' } }) },
  ),
  delay: faultAnswer({ byMs: integer(1, 600_000) }, ({ byMs }) => ({
    alter: real => ({ ...real, sending: { how: 'late', byMs } }),
  })),
  drip: faultAnswer({ everyMs: integer(1, 60_000) }, ({ everyMs }) => ({
    alter: real => ({ ...real, sending: { how: 'drip', everyMs } }),
  })),
  reset: faultAnswer({}, () => ({
    replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'reset' } }),
  })),
  oversize: faultAnswer({ bytes: integer(1, maxBytes) }, ({ bytes }) => ({
    alter: real => grow(real, bytes),
  })),
  alter: faultAnswer({ body: readObject }, ({ body }) => ({ alter: real => patch(real, body) })),
}
