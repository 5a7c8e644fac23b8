import { asList, asProperties, type Json, type Properties } from '../../properties.ts'
import type { RestClient } from '../resource.ts'
import { objectIn, type RestReply, type RestRequest, type Retrying, send } from '../rest.ts'

/** A client of the DNS service. A call resolves to the `result` of the envelope. */
export interface Cloudflare extends RestClient {
  /** Resolves to all elements of a list. */
  list(path: string): Promise<readonly Properties[]>
  /** Resolves to an answer without an envelope, such as the code of a script. */
  raw(request: RestRequest): Promise<RestReply>
}

const publicUrl = 'https://api.cloudflare.com/client/v4'
/**
 * Whether the provider repeats a request: after 408, 409, 429, 5xx and a lost answer. It also repeats a POST, which can then
 * take effect twice (`shouldRetry` in cloudflare-go, internal/requestconfig).
 */
const isTransient: Retrying = status => status === 'lost' || [408, 409, 429].includes(status) || status >= 500

/** Returns a client. @param token if undefined, calls are sent without one, and the service refuses them */
export function cloudflareClient(baseUrl: string | undefined, token: string | undefined): Cloudflare {
  const root = (baseUrl ?? publicUrl).replace(/\/$/, '')
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const raw = (request: RestRequest) => send(root, request, headers, isTransient)
  const resultOf = async (request: RestRequest): Promise<Json> =>
    objectIn(await raw(request))['result'] ?? null
  return {
    raw,
    call: async request => asProperties(await resultOf(request)),
    list: async path => asList(await resultOf({ method: 'GET', path })).map(asProperties),
  }
}
