import { type JsonObject, parseObject } from '../http/validation.ts'

/** Parses a body as a JSON object. Returns null if it is anything else. */
export const parseBody = (body: Buffer): JsonObject | null => parseObject(body.toString())
