import { asProperties, type Json, listOf, type Properties } from '../../properties.ts'
import { parseObject, type Reply, type Request, send } from '../rest.ts'

/** The interface of the DNS service as its provider calls it. */
export interface Cloudflare {
  /** The `result` of an envelope. */
  call(request: Request): Promise<Properties>
  /** The elements of a list, whole. */
  list(path: string): Promise<readonly Properties[]>
  /** An answer that is no envelope: a script's code. */
  raw(request: Request): Promise<Reply>
}

const publicUrl = 'https://api.cloudflare.com/client/v4'
/** What the provider asks for again (its source: 408, 409, 429 and 5xx). */
const isTransient = (status: number): boolean => [408, 409, 429].includes(status) || status >= 500

/** @param token undefined: the provider then calls without one, and the service refuses */
export function cloudflareClient(baseUrl: string | undefined, token: string | undefined): Cloudflare {
  const root = (baseUrl ?? publicUrl).replace(/\/$/, '')
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const raw = (request: Request) => send(root, request, headers, isTransient)
  const resultOf = async (request: Request): Promise<Json> =>
    parseObject(await raw(request))['result'] ?? null
  return {
    raw,
    call: async request => asProperties(await resultOf(request)),
    list: async path => listOf(await resultOf({ method: 'GET', path })).map(asProperties),
  }
}
