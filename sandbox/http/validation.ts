const maxMessageLength = 1000

/** A JSON value that is invalid. The message names its place, what was found and what fits. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError'

  constructor(message: string) {
    super(message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message)
  }
}

export type JsonObject = Readonly<Record<string, unknown>>

function describe(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

const mismatch = (where: string, wanted: string, value: unknown): ValidationError =>
  new ValidationError(`${where} must be ${wanted}, but is ${describe(value)}.`)

/** Whether a value is a JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a text as a JSON object. Returns null if it is anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/**
 * Reads an object. With `known`, any other field is an error, so that a misspelt one is not silently ignored.
 * @throws ValidationError, as every reader in this file
 */
export function readObject(value: unknown, where: string, known?: readonly string[]): JsonObject {
  if (!isObject(value)) throw mismatch(where, 'an object', value)
  const unknown = known && Object.keys(value).find(key => !known.includes(key))
  if (known && unknown !== undefined) {
    throw new ValidationError(
      `${where} has no field ${describe(unknown)}. Its fields are ${known.join(', ')}.`,
    )
  }
  return value
}

export function readArray(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw mismatch(where, 'a list', value)
  return value
}

export function readString(value: unknown, where: string): string {
  if (typeof value !== 'string') throw mismatch(where, 'a string', value)
  return value
}

export function readBoolean(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw mismatch(where, 'true or false', value)
  return value
}

export function readInteger(value: unknown, where: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw mismatch(where, `a whole number from ${min} to ${max}`, value)
  }
  return value
}

export function readOneOf<T extends string | number>(
  value: unknown,
  where: string,
  choices: readonly T[],
): T {
  const choice = choices.find(candidate => candidate === value)
  if (choice === undefined) throw mismatch(where, `one of ${choices.join(', ')}`, value)
  return choice
}

/** Reads a value. `where` is its place, for the message. Throws a ValidationError if the value is invalid. */
export type Reader<Value> = (value: unknown, where: string) => Value

/** Returns the reader of a whole number from `min` to `max`, both included. */
export const integer =
  (min: number, max: number): Reader<number> =>
  (value, where) =>
    readInteger(value, where, min, max)

/** Returns the reader of one of several values. */
export const oneOf =
  <const T extends string | number>(choices: readonly T[]): Reader<T> =>
  (value, where) =>
    readOneOf(value, where, choices)

/** Returns the reader of a list whose elements have one reader. */
export const listOf =
  <Value>(read: Reader<Value>): Reader<Value[]> =>
  (value, where) =>
    readArray(value, where).map((element, at) => read(element, `${where}[${at}]`))

export const readStrings = listOf(readString)

/** Reads a value that can be omitted or null, both of which become null. */
export const nullable =
  <Value>(read: Reader<Value>): Reader<Value | null> =>
  (value, where) =>
    value === undefined || value === null ? null : read(value, where)

type Readers = Readonly<Record<string, Reader<unknown>>>
/** The object that a table of readers reads. */
export type FieldsOf<Table extends Readers> = { readonly [Name in keyof Table]: ReturnType<Table[Name]> }

/** The place of a whole request body. Messages name its fields alone. */
export const wholeBody = 'The body'

/** Reads an object by a table of its fields. */
export function readFields<const Table extends Readers>(
  value: unknown,
  where: string,
  table: Table,
): FieldsOf<Table> {
  const given = readObject(value, where, Object.keys(table))
  const fields = Object.entries(table).map(([name, read]) => {
    const place = where === wholeBody ? name : `${where}.${name}`
    return [name, read(given[name], place)] as const
  })
  return Object.fromEntries(fields) as FieldsOf<Table>
}

/** Requires that values differ from each other. `what` names them in the message, as in "The ids of zones". */
export function requireDistinct(values: readonly string[], what: string): void {
  const duplicate = values.find((value, at) => values.indexOf(value) !== at)
  if (duplicate !== undefined) {
    throw new ValidationError(
      `${what} must differ from each other, but ${describe(duplicate)} appears twice.`,
    )
  }
}

/** Whether a time in milliseconds since 1970 is in the years 1970 to 9999, which the formats of all services can express. */
export const isInstant = (ms: number): boolean => ms >= 0 && ms <= Date.UTC(9999, 11, 31)

/** Reads an ISO 8601 instant in the years 1970 to 9999. Returns milliseconds since 1970. */
export function readInstant(value: unknown, where: string): number {
  const instant = Date.parse(readString(value, where))
  if (!isInstant(instant)) throw mismatch(where, 'an instant such as 2026-01-31T12:00:00Z', value)
  return instant
}
