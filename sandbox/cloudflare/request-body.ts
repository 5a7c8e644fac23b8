import type { Body } from '../http/server.ts'
import { isObject, type JsonObject } from '../http/validation.ts'

/** The JSON object that a body holds, or undefined when it holds something else or nothing. */
export const parseBody = (body: Body): JsonObject | undefined => {
  try {
    const value: unknown = body.kind === 'text' ? JSON.parse(body.text) : undefined
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
