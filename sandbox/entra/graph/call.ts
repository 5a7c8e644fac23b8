import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { JsonObject } from '../../http/validation.ts'
import { jsonAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'
import type { Bearer } from './applications.ts'

/** A request to Graph. */
export interface GraphCall extends Pick<Exchange, 'method' | 'path' | 'headers'> {
  readonly tenant: Tenant
  readonly query: URLSearchParams
}

/** An authenticated request about applications or service principals. */
export interface ApplicationCall extends GraphCall {
  readonly bearer: Bearer
  /** The object ID in the path. Empty for the collection. */
  readonly id: string
  /** The id of the owner in the path. Empty if there is none. */
  readonly part: string
  readonly sent: JsonObject
}

/** Returns an error in the format of the API. Its message is for developers, never for users (Graph, error responses). */
export function failure(
  { tenant, headers: { 'client-request-id': clientRequestId } }: Pick<GraphCall, 'tenant' | 'headers'>,
  status: number,
  code: string,
  message: string,
  headers: HttpAnswer['headers'] = {},
): HttpAnswer {
  // documented: An error has code, message and innerError with date and ids. [Graph, error responses]
  // documented: A throttled request gets 429 TooManyRequests with Retry-After. [Graph, throttling]
  const requestId = tenant.ids.uuid()
  const date = new Date(tenant.clock.now()).toISOString().slice(0, 19)
  const innerError = { date, 'request-id': requestId, 'client-request-id': clientRequestId ?? requestId }
  return jsonAnswer(status, { error: { code, message, innerError } }, { 'request-id': requestId, ...headers })
}

/** Returns 401 with a challenge. */
export const unauthenticated = (call: GraphCall, message: string): HttpAnswer =>
  failure(call, 401, 'InvalidAuthenticationToken', message, {
    'www-authenticate': `Bearer realm="", authorization_uri="${call.tenant.instance}common/oauth2/authorize"`,
  })

/** Returns 400 for a body or a filter that Graph does not accept. */
export const badRequest = (call: GraphCall, message: string): HttpAnswer =>
  failure(call, 400, 'Request_BadRequest', message)

/** Returns 400 for a path that Graph does not have. */
export const unknownSegment = (call: GraphCall): HttpAnswer =>
  failure(call, 400, 'BadRequest', 'Resource not found for the segment.')

/** Returns 403 for a token without the permission. */
export const denied = (call: GraphCall): HttpAnswer =>
  failure(call, 403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.')

/** Returns 404 for an object that does not exist. The message has the object ID of the request. */
export function notFound(call: ApplicationCall): HttpAnswer {
  // documented: A request for an object that does not exist gets 404 Request_ResourceNotFound. [Graph, error responses]
  const message = `Resource '${call.id}' does not exist or one of its queried reference-property objects are not present.`
  return failure(call, 404, 'Request_ResourceNotFound', message)
}

/** Returns the token of a request. */
export const bearerToken = ({ headers }: GraphCall): string | null =>
  /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? null
