import type { IncomingMessage, ServerResponse } from 'node:http'
import { getOrCreate } from '../../lib/get-or-create.ts'
import type { Handler } from '../app.ts'
import { answerOf, runRoute } from '../http/answer.ts'
import { type Host, hostNamed } from '../http/hosts.ts'
import { routes } from '../routes.ts'
import { type ForwardQuery, readForwardQuery } from '../session/forward.ts'

/** Distinct targets and hosts that are remembered. A proxy sends few. */
const remembered = 64

/**
 * Creates the adapter of the forward check to node:http, which costs a third of the way through Request, Response and the router. It
 * reads only what these read alike: for another request, the function that it returns does nothing and returns false.
 */
export function createForwardAdapter(
  { check, checkPath, responder }: Omit<Handler, 'app'>,
  isProxyTrusted: (incoming: IncomingMessage) => boolean,
) {
  const queries = new Map<string, ForwardQuery | null>()
  const queryOf = (target: string) =>
    target === checkPath || target.startsWith(`${checkPath}?`)
      ? readForwardQuery(target.slice(checkPath.length))
      : null
  const usableHosts = new Map<string, boolean>()
  const { hosts, hsts } = responder

  function hostOf(incoming: IncomingMessage): Host | null {
    const { host: stated = '', 'x-forwarded-host': forwarded } = incoming.headers
    if (!recall(usableHosts, stated, isUsableHost)) return null
    const isForwarded = hosts.length > 1 && typeof forwarded === 'string' && isProxyTrusted(incoming)
    return hostNamed(hosts, isForwarded ? forwarded : stated)
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const names = plainNames(incoming)
    const query = names && recall(queries, incoming.url ?? '', queryOf)
    const host = query && hostOf(incoming)
    if (names === null || query === null || host === null) return false
    const { headers } = incoming
    const request = {
      host,
      query,
      names,
      headers: { get: (name: string) => (headers[name] as string | undefined) ?? null },
      isProxyTrusted: () => isProxyTrusted(incoming),
    }
    const running = runRoute(routes.forward, 'GET', () => check(request), responder)
    void running.then(({ result, correlationId }) => {
      const { status, headers, body } = answerOf(result, correlationId, hsts)
      const length = body === null ? [] : ['Content-Length', String(Buffer.byteLength(body))]
      outgoing.writeHead(status, [...headers.flat(), ...length])
      outgoing.end(body)
    })
    return true
  }
}

/** Returns the names of a request's headers if it has one of each, a cookie in ASCII, and no body; null for any other. */
function plainNames({ method, httpVersion, headers, rawHeaders }: IncomingMessage): readonly string[] | null {
  if (method !== 'GET' || httpVersion !== '1.1') return null
  const names = Object.keys(headers)
  if (names.length * 2 !== rawHeaders.length || !/^[ -~]*$/.test(headers.cookie ?? '')) return null
  return names.some(name => ['content-length', 'transfer-encoding', 'expect'].includes(name)) ? null : names
}

/** Whether `URL` reads a Host header as it is, as `findHost` requires. */
function isUsableHost(stated: string): boolean {
  return (
    /^[a-z0-9.-]+(:\d{1,5})?$/.test(stated) &&
    URL.parse(`http://${stated}`)?.hostname === stated.replace(/:\d+$/, '')
  )
}

/** Returns the value of a key, computed once as long as there are few. */
function recall<T>(known: Map<string, T>, key: string, compute: (key: string) => T): T {
  if (known.size > remembered) known.clear()
  return getOrCreate(known, key, () => compute(key))
}
