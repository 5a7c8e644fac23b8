import { formatSecond } from '../../http/clock.ts'
import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { isGuid, type Problem } from './aadsts.ts'
import type { LoginCall } from './call.ts'

/** The ids by which Microsoft finds a failed request in its logs. */
interface ErrorTrace {
  readonly traceId: string
  readonly correlationId: string
  /** UTC, to the second, as in `2026-11-05 12:00:00Z`. */
  readonly timestamp: string
}

/** Returns new ids for a failure. A `client-request-id` that is a GUID becomes the correlation id. */
export function errorTraceOf({
  tenant: { ids, clock },
  headers,
}: Pick<LoginCall, 'tenant' | 'headers'>): ErrorTrace {
  const requestId = headers['client-request-id']
  return {
    traceId: ids.uuid(),
    correlationId: requestId !== undefined && isGuid(requestId) ? requestId : ids.uuid(),
    timestamp: formatSecond(clock.now()).replace('T', ' '),
  }
}

/** Returns an `error_description`: code, message and ids on one line. */
export const errorDescription = ({ code, message }: Problem, trace: ErrorTrace): string =>
  `AADSTS${code}: ${message} Trace ID: ${trace.traceId} Correlation ID: ${trace.correlationId} Timestamp: ${trace.timestamp}`

const errorUri = (instance: string, { code }: Problem): string => `${instance}error?code=${code}`

export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/** Returns an error as JSON, for the token endpoint and other requests of programs. */
export function jsonFailure(call: LoginCall, cause: Problem): HttpAnswer {
  const trace = errorTraceOf(call)
  // assumed: client-request-id becomes the correlation id. [from memory; no text or capture available]
  const body = {
    error: cause.error,
    error_description: errorDescription(cause, trace),
    error_codes: [cause.code],
    timestamp: trace.timestamp,
    trace_id: trace.traceId,
    correlation_id: trace.correlationId,
    error_uri: errorUri(call.tenant.instance, cause),
  }
  return jsonAnswer(cause.status, body, noStore)
}

/** Returns the parameters of a redirect to the application with an error, without `state`. */
export function redirectFields(call: LoginCall, cause: Problem): [string, string][] {
  // A cancelled sign-in has only these two parameters (tests of MSAL for Android and .NET).
  if (cause.subcode !== undefined) {
    return [
      ['error', cause.error],
      ['error_subcode', cause.subcode],
    ]
  }
  // documented: The redirect with an error contains error, error_description and state. The description starts with AADSTS and
  // the code. [Microsoft identity platform, OAuth 2.0 authorization code flow]
  // assumed: The redirect with an error contains error_uri. [from memory; no text or capture available]
  return [
    ['error', cause.error],
    ['error_description', errorDescription(cause, errorTraceOf(call))],
    ['error_uri', errorUri(call.tenant.instance, cause)],
  ]
}
