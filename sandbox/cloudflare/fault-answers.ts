import type { HttpAnswer } from '../http/delivery.ts'
import { parseJsonBody, readErrorAnswer, readStatus } from '../http/fault-answers.ts'
import type { FaultAnswerReaders } from '../http/service.ts'
import {
  isObject,
  type JsonObject,
  readInteger,
  readObject,
  readOneOf,
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

function readError(value: unknown, where: string): ApiError {
  const { code, message } = readObject(value, where, ['code', 'message'])
  return {
    code: readInteger(code, `${where}.code`, 0, 999_999),
    message: readString(message, `${where}.message`),
  }
}

/** The kinds of fault answer in the API's envelope. @param currentForm returns the form of errors in force */
export function faultAnswers(currentForm: () => ErrorForm): FaultAnswerReaders {
  return {
    errors(value, where) {
      const { errors, headers, fields } = readErrorAnswer(value, where, readError, ['form'])
      const status = readStatus(value['status'], where)
      const form =
        value['form'] === undefined ? undefined : readOneOf(value['form'], `${where}.form`, errorForms)
      return {
        fields: { status, ...fields, ...(form && { form }) },
        replace: () => ({
          status,
          headers: { 'content-type': 'application/json', ...headers },
          body: failureText(inForm(errors, form ?? currentForm())),
        }),
      }
    },
    /** Overwrites fields of the result, or of each of its elements. */
    alter(value, where) {
      const { result } = readObject(value, where, ['kind', 'result'])
      const changes = readObject(result, `${where}.result`)
      return { fields: { result: changes }, alter: real => alterResult(real, changes) }
    },
  }
}
