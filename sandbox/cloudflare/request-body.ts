import type { Body } from '../http/server.ts'
import { type JsonObject, parseObject } from '../http/validation.ts'

/** Parses a body as a JSON object. Returns undefined if it is anything else. */
export const parseBody = (body: Body): JsonObject | undefined =>
  body.kind === 'text' ? parseObject(body.text) : undefined
