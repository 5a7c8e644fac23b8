import type { Body } from '../http/server.ts'
import { type JsonObject, parseObject } from '../http/validation.ts'

/** Parses a body as a JSON object. Returns null if it is anything else. */
export const parseBody = (body: Body): JsonObject | null =>
  body.kind === 'text' ? parseObject(body.text) : null
