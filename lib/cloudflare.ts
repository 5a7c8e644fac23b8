import { isObject, parseObject } from './json.ts'

/** The root of Cloudflare's API, and where its first version lives below a root. */
export const cloudflareUrl = 'https://api.cloudflare.com'
export const apiPath = '/client/v4'
export const cloudflareApiUrl = cloudflareUrl + apiPath

/** An error that Cloudflare reports. The message is remote text: quote it before printing. */
export interface ServiceError {
  readonly code: number
  readonly message: string
}

export interface Envelope {
  readonly success: boolean
  /** Every error, followed by those of its chain: Cloudflare uses a flat and a chained form. */
  readonly errors: readonly ServiceError[]
  readonly result: unknown
  /** What the response says about the list that it is a page of; undefined or null if it says nothing. */
  readonly resultInfo: unknown
}

const maxErrors = 10
/** The API's own responses are 6 deep. Deeper ones would exhaust the stack of the functions that walk them. */
const maxDepth = 32

/** Parses the whole body as one envelope. Returns null for HTML, other JSON, or an empty, truncated or too deeply nested body. */
export function parseEnvelope(body: string): Envelope | null {
  return readEnvelope(parseObject(body))
}

/** Returns JSON as an envelope, or null if it is not one. */
export function readEnvelope(json: unknown): Envelope | null {
  if (!isObject(json) || !isWithinDepth(json, maxDepth) || typeof json['success'] !== 'boolean') return null
  return {
    success: json['success'],
    errors: errorsIn(json['errors']).slice(0, maxErrors),
    result: json['result'],
    resultInfo: json['result_info'],
  }
}

function errorsIn(value: unknown): ServiceError[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).flatMap(error => {
    const { code, message } = error
    const listed =
      typeof code === 'number' ? [{ code, message: typeof message === 'string' ? message : '' }] : []
    return [...listed, ...errorsIn(error['error_chain'])]
  })
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every(member => isWithinDepth(member, depth - 1))
}

/** The token has no form that Cloudflare knows, so it looked at nothing else. */
export const malformedTokenCodes: readonly number[] = [6003, 6103, 6111]
