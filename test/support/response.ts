import type { HttpResponse } from '../../action/exchange.ts'

/** Returns a response as the HTTP client hands it over: status 200 with JSON, unless `fields` say otherwise. */
export function response(body: unknown, fields: Partial<HttpResponse> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    kind: 'response',
    status: 200,
    contentType: 'application/json',
    retryAfterMs: null,
    rateLimits: [],
    body: text,
    ...fields,
  }
}
