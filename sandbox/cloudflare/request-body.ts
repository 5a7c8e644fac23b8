import type { Body } from '../http/server.ts'
import { isObject, type JsonObject } from '../http/validation.ts'

/** Parses a body as a JSON object. Returns undefined if it is anything else. */
export function parseBody(body: Body): JsonObject | undefined {
  try {
    const value: unknown = body.kind === 'text' ? JSON.parse(body.text) : undefined
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
