import type { HttpAnswer } from './delivery.ts'
import type { FaultAnswerAction, FaultAnswers } from './emulated-service.ts'
import type { Exchange } from './exchange.ts'
import { type JsonObject, parseObject } from './validation.ts'

/** Fields of HTTP headers. */
export type HeaderFields = Readonly<Record<string, string>>

/** The fields of a fault answer with errors of a service. */
export interface ErrorAnswer<Fault> {
  readonly status?: number
  readonly errors: readonly Fault[]
  readonly headers?: HeaderFields
}

/**
 * Returns a fault answer with an error in the form of a service that returns one error at a time.
 * @param answerTo returns the answer to a request, without the headers of the fault
 */
export const errorAnswer =
  <Fault>(
    answerTo: (exchange: Exchange, status: number | undefined, error: Fault | undefined) => HttpAnswer,
  ) =>
  ({ status, errors, headers = {} }: ErrorAnswer<Fault>): FaultAnswerAction => ({
    replace(exchange) {
      const answer = answerTo(exchange, status, errors[0])
      return { ...answer, headers: { ...answer.headers, ...headers } }
    },
  })

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

type Respond = Pick<HttpAnswer, 'status'> & { readonly headers?: HeaderFields; readonly body?: string }
interface Stall {
  readonly at: 'before-headers' | 'after-headers'
  readonly after?: number
}

/** The kinds of fault answer that every service has. */
export const commonFaultAnswers: FaultAnswers = {
  respond: ({ status, headers = {}, body = '' }: Respond) => ({ replace: () => ({ status, headers, body }) }),
  cut: ({ after }: { readonly after: number }) => ({
    alter: real => ({ ...real, sending: { how: 'part', bytes: after, ending: 'close' } }),
  }),
  truncate: ({ after }: { readonly after: number }) => ({
    alter: real => ({ ...real, body: Buffer.from(real.body).subarray(0, after) }),
  }),
  stall: ({ at, after = 0 }: Stall) =>
    at === 'before-headers'
      ? { replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'silence' } }) }
      : { alter: real => ({ ...real, sending: { how: 'part', bytes: after, ending: 'silence' } }) },
  delay: ({ byMs }: { readonly byMs: number }) => ({
    alter: real => ({ ...real, sending: { how: 'late', byMs } }),
  }),
  drip: ({ everyMs }: { readonly everyMs: number }) => ({
    alter: real => ({ ...real, sending: { how: 'drip', everyMs } }),
  }),
  reset: () => ({ replace: () => ({ status: 200, headers: {}, body: '', sending: { how: 'reset' } }) }),
  oversize: ({ bytes }: { readonly bytes: number }) => ({ alter: real => grow(real, bytes) }),
  alter: ({ body }: { readonly body: JsonObject }) => ({ alter: real => patch(real, body) }),
}
