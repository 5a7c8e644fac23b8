import type { HttpAnswer } from '../http/delivery.ts'
import { parseJsonBody, readStatus } from '../http/fault-answers.ts'
import type { FaultAnswerReaders } from '../http/service.ts'
import {
  isObject,
  type JsonObject,
  readArray,
  readHeaders,
  readInteger,
  readObject,
  readOneOf,
  readString,
} from '../http/validation.ts'
import { failureText } from './envelope.ts'
import { type ErrorForm, errorForms, inForm } from './errors.ts'

function alterResult(answer: HttpAnswer, changes: JsonObject): HttpAnswer {
  const envelope = parseJsonBody(answer)
  const result = envelope?.['result']
  const altered = (value: unknown) => (isObject(value) ? { ...value, ...changes } : value)
  if (!isObject(result) && !Array.isArray(result)) return answer
  const next = Array.isArray(result) ? result.map(altered) : altered(result)
  return { ...answer, body: JSON.stringify({ ...envelope, result: next }) }
}

/** The kinds of fault answer in the API's envelope. @param currentForm returns the form of errors in force */
export function faultAnswers(currentForm: () => ErrorForm): FaultAnswerReaders {
  return {
    errors(value, where) {
      const known = ['kind', 'status', 'errors', 'headers', 'form']
      const { status, errors, headers, form } = readObject(value, where, known)
      const list = readArray(errors, `${where}.errors`).map((error, at) => {
        const { code, message } = readObject(error, `${where}.errors[${at}]`, ['code', 'message'])
        return {
          code: readInteger(code, `${where}.errors[${at}].code`, 0, 999_999),
          message: readString(message, `${where}.errors[${at}].message`),
        }
      })
      const fields = {
        status: readStatus(status, where),
        errors: list,
        headers: readHeaders(headers ?? {}, `${where}.headers`),
        ...(form !== undefined && { form: readOneOf(form, `${where}.form`, errorForms) }),
      }
      return {
        fields,
        replace: () => ({
          status: fields.status,
          headers: { 'content-type': 'application/json', ...fields.headers },
          body: failureText(inForm(list, fields.form ?? currentForm())),
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
