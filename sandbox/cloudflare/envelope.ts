import type { HttpAnswer } from '../http/delivery.ts'
import type { Refusal } from './errors.ts'

/** A remark in a successful response. */
interface Message {
  readonly code: number
  readonly message: string
  readonly type: null
}

/** The page of a list that a response contains, counted from 1, and the size of the whole list. */
export interface ResultInfo {
  readonly page: number
  readonly per_page: number
  readonly count: number
  readonly total_count: number
  readonly total_pages: number
}

/** A successful request. */
export interface Success {
  readonly kind: 'success'
  readonly result: unknown
  readonly resultInfo?: ResultInfo
  readonly messages?: readonly Message[]
}

/** A successful request with a response that is not an envelope, such as a file. */
interface Plain {
  readonly kind: 'plain'
  readonly answer: HttpAnswer
}

/** The outcome of a request that is not refused, told by its `kind`. */
export type Outcome = Success | Plain

/** Returns a success with a result, which is served as it is. */
export const success = (result: unknown): Success => ({ kind: 'success', result })

const headers = { 'content-type': 'application/json' }

/**
 * Returns the answer to a refused request. The fields come in the order of the gateway. In a success, this order makes the id
 * of a record the first `"id"`, which is the one inadyn 2.10 reads.
 */
export const refusalAnswer = ({ status, errors }: Refusal): HttpAnswer => ({
  status,
  headers,
  body: JSON.stringify({ success: false, errors, messages: [], result: null }),
})

/** Converts an outcome to an HTTP answer. */
export function toAnswer(outcome: Outcome): HttpAnswer {
  if (outcome.kind === 'plain') return outcome.answer
  const { result, resultInfo, messages } = outcome
  const envelope = { success: true, errors: [], messages: messages ?? [], result, result_info: resultInfo }
  return { status: 200, headers, body: JSON.stringify(envelope) }
}
