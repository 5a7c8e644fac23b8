import type { HttpAnswer } from '../http/delivery.ts'
import { type ApiError, type ErrorForm, inForm, type Refusal } from './errors.ts'

export type Message = { readonly code: number; readonly message: string; readonly type: null }

export type ResultInfo = {
  readonly page: number
  readonly per_page: number
  readonly count: number
  readonly total_count: number
  readonly total_pages: number
}

/** A request that was carried out. */
export type Success = {
  readonly ok: true
  readonly result: unknown
  readonly resultInfo?: ResultInfo
  readonly messages?: readonly Message[]
}

/** A request that was carried out and is answered outside of the envelope: with a file, say. */
export type Plain = { readonly ok: true; readonly answer: HttpAnswer }

export type Outcome = Success | Plain | Refusal

/**
 * The text around a failure. The order of the fields is the gateway's; it also keeps a record's id the first `"id"` of
 * every text, which is where inadyn 2.10 looks for it.
 */
export const failureText = (errors: readonly ApiError[]): string =>
  JSON.stringify({ success: false, errors, messages: [], result: null })

/** Makes the HTTP answer of an outcome. */
export const toAnswer = (outcome: Outcome, form: ErrorForm): HttpAnswer => {
  const headers = { 'content-type': 'application/json' }
  if (!outcome.ok) {
    const errors = outcome.ofRecord ? inForm(outcome.errors, form) : outcome.errors
    return { status: outcome.status, headers, body: failureText(errors) }
  }
  if ('answer' in outcome) return outcome.answer
  const { result, resultInfo, messages } = outcome
  const envelope = { success: true, errors: [], messages: messages ?? [], result, result_info: resultInfo }
  return { status: 200, headers, body: JSON.stringify(envelope) }
}
