import { type ErrorForm, errorForms } from '../cloudflare/errors.ts'
import {
  type JsonObject,
  readArray,
  readHeaders,
  readInteger,
  readObject,
  readOneOf,
  readString,
} from './validation.ts'

/** What the client meets instead of the real answer. */
export type FaultAnswer =
  /** Exactly this. The body is sent as it stands, with its length. */
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The DNS service's envelope around these errors, in this form or else the one in force. */
  | {
      readonly kind: 'errors'
      readonly status: number
      readonly errors: readonly { readonly code: number; readonly message: string }[]
      readonly form?: ErrorForm
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The real answer's head and so many bytes of its body, then the end of the connection. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Silence until the client leaves: before the status line, or behind it and so many bytes of the body. */
  | { readonly kind: 'stall'; readonly at: 'before-headers' | 'after-headers'; readonly after?: number }
  /** The real answer's body, one byte at a time. */
  | { readonly kind: 'drip'; readonly everyMs: number }
  /** A TCP reset before anything is sent. */
  | { readonly kind: 'reset' }
  /** The real answer, still valid, grown to so many bytes. */
  | { readonly kind: 'oversize'; readonly bytes: number }
  /** The real answer with these fields of its result, or of each of its results, overwritten. */
  | { readonly kind: 'alter'; readonly result: JsonObject }

const kinds = ['respond', 'errors', 'cut', 'stall', 'drip', 'reset', 'oversize', 'alter'] as const
const largest = 64 * 1024 * 1024

const readStatus = (value: unknown, where: string): number => readInteger(value, where, 200, 599)

/** Reads what a fault answers. @throws ValidationError */
export const readFaultAnswer = (value: unknown, where: string): FaultAnswer => {
  const kind = readOneOf(readObject(value, where)['kind'], `${where}.kind`, kinds)
  const fields = (...known: string[]) => readObject(value, where, ['kind', ...known])
  switch (kind) {
    case 'respond': {
      const { status, headers, body } = fields('status', 'headers', 'body')
      return {
        kind,
        status: readStatus(status, `${where}.status`),
        headers: readHeaders(headers ?? {}, `${where}.headers`),
        body: readString(body ?? '', `${where}.body`),
      }
    }
    case 'errors': {
      const { status, errors, headers, form } = fields('status', 'errors', 'headers', 'form')
      return {
        kind,
        status: readStatus(status, `${where}.status`),
        errors: readArray(errors, `${where}.errors`).map((error, at) => {
          const { code, message } = readObject(error, `${where}.errors[${at}]`, ['code', 'message'])
          return {
            code: readInteger(code, `${where}.errors[${at}].code`, 0, 999_999),
            message: readString(message, `${where}.errors[${at}].message`),
          }
        }),
        headers: readHeaders(headers ?? {}, `${where}.headers`),
        ...(form === undefined ? {} : { form: readOneOf(form, `${where}.form`, errorForms) }),
      }
    }
    case 'cut':
      return { kind, after: readInteger(fields('after')['after'], `${where}.after`, 0, largest) }
    case 'stall': {
      const { at, after } = fields('at', 'after')
      return {
        kind,
        at: readOneOf(at, `${where}.at`, ['before-headers', 'after-headers'] as const),
        after: readInteger(after ?? 0, `${where}.after`, 0, largest),
      }
    }
    case 'drip':
      return { kind, everyMs: readInteger(fields('everyMs')['everyMs'], `${where}.everyMs`, 1, 60_000) }
    case 'reset':
      fields()
      return { kind }
    case 'oversize':
      return { kind, bytes: readInteger(fields('bytes')['bytes'], `${where}.bytes`, 1, largest) }
    case 'alter':
      return { kind, result: readObject(fields('result')['result'], `${where}.result`) }
  }
}
