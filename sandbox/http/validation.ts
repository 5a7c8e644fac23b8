/** A JSON value that is invalid. The message names its place and what fits. */
export class ValidationError extends Error {
  override readonly name = 'ValidationError'
}

export type JsonObject = Readonly<Record<string, unknown>>

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

/** Whether a time in milliseconds since 1970 is in the years 1970 to 9999, which the formats of all services can express. */
export const isInstant = (ms: number): boolean => ms >= 0 && ms <= Date.UTC(9999, 11, 31)
