import type { HttpAnswer } from '../http/delivery.ts'
import type { FaultAnswers } from '../http/emulated-service.ts'
import { type ErrorAnswer, parseJsonBody } from '../http/fault-answers.ts'
import { isObject, type JsonObject } from '../http/validation.ts'
import { failureText } from './envelope.ts'
import { type ApiError, type ErrorForm, inForm } from './errors.ts'

function alterResult(answer: HttpAnswer, changes: JsonObject): HttpAnswer {
  const envelope = parseJsonBody(answer)
  const result = envelope?.['result']
  const altered = (value: unknown) => (isObject(value) ? { ...value, ...changes } : value)
  if (!isObject(result) && !Array.isArray(result)) return answer
  const next = Array.isArray(result) ? result.map(altered) : altered(result)
  return { ...answer, body: JSON.stringify({ ...envelope, result: next }) }
}

/** Returns the fault answers of the API. `currentForm` returns the form of errors that the state sets. */
export const faultAnswers = (currentForm: () => ErrorForm): FaultAnswers => ({
  errors: ({ status = 400, errors, headers }: ErrorAnswer<ApiError>) => ({
    replace: () => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: failureText(inForm(errors, currentForm())),
    }),
  }),
  /** Overwrites fields of the result, or of each of its elements. */
  alter: ({ result }: { readonly result: JsonObject }) => ({ alter: real => alterResult(real, result) }),
})
