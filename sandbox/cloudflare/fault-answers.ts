import type { HttpAnswer } from '../http/delivery.ts'
import type { FaultAnswerReaders } from '../http/emulated-service.ts'
import { faultAnswer, headersField, parseJsonBody, readStatus } from '../http/fault-answers.ts'
import {
  integer,
  isObject,
  type JsonObject,
  listOf,
  oneOf,
  optional,
  type Reader,
  readFields,
  readObject,
  readString,
} from '../http/validation.ts'
import { failureText } from './envelope.ts'
import { type ApiError, type ErrorForm, errorForms, inForm } from './errors.ts'

function alterResult(answer: HttpAnswer, changes: JsonObject): HttpAnswer {
  const envelope = parseJsonBody(answer)
  const result = envelope?.['result']
  const altered = (value: unknown) => (isObject(value) ? { ...value, ...changes } : value)
  if (!isObject(result) && !Array.isArray(result)) return answer
  const next = Array.isArray(result) ? result.map(altered) : altered(result)
  return { ...answer, body: JSON.stringify({ ...envelope, result: next }) }
}

const readError: Reader<ApiError> = (value, where) =>
  readFields(value, where, { code: integer(0, 999_999), message: readString })

/** Returns the fault answers of the API. `currentForm` returns the form of errors that the state sets. */
export function faultAnswers(currentForm: () => ErrorForm): FaultAnswerReaders {
  return {
    errors: faultAnswer(
      { status: readStatus, errors: listOf(readError), ...headersField, form: optional(oneOf(errorForms)) },
      ({ status, errors, headers, form }) => ({
        replace: () => ({
          status,
          headers: { 'content-type': 'application/json', ...headers },
          body: failureText(inForm(errors, form ?? currentForm())),
        }),
      }),
    ),
    /** Overwrites fields of the result, or of each of its elements. */
    alter: faultAnswer({ result: readObject }, ({ result }) => ({
      alter: real => alterResult(real, result),
    })),
  }
}
