import type { HttpOutcome, HttpRequest, HttpResponse } from '../../lib/exchange.ts'

/** Returns a response as the HTTP client hands it over: status 200 with JSON, unless `fields` say otherwise. */
export function response(body: unknown, fields: Partial<HttpResponse> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return {
    kind: 'response',
    status: 200,
    contentType: 'application/json',
    retryAfterMs: null,
    rateLimits: [],
    isFromFront: false,
    header: () => null,
    body: text,
    ...fields,
  }
}

/** Returns an exchange with the outcomes that `answer` returns, and the requests that it was `sent`, in order. */
export function recorded<Request = HttpRequest>(
  answer: (request: Request, sent: readonly Request[]) => HttpOutcome | Promise<HttpOutcome>,
) {
  const sent: Request[] = []
  const exchange = async (request: Request): Promise<HttpOutcome> => {
    sent.push(request)
    return answer(request, sent)
  }
  return { exchange, sent }
}
