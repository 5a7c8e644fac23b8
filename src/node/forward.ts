import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Handler } from '../app.ts'
import { answerOf, runRoute } from '../http/answer.ts'
import { type Host, hostNamed } from '../http/hosts.ts'
import { routes } from '../routes.ts'
import { readForwardQuery } from '../session/forward.ts'

/**
 * Creates the adapter of the forward check to node:http, which costs a third of the way through Request, Response and the router. It
 * reads only what these read alike: for another request, the function that it returns does nothing and returns false.
 */
export function createForwardAdapter(
  { check, checkPath, responder }: Omit<Handler, 'app'>,
  isProxyTrusted: (incoming: IncomingMessage) => boolean,
) {
  const { hosts, hsts } = responder

  function hostOf(incoming: IncomingMessage): Host | null {
    const { host: stated = '', 'x-forwarded-host': forwarded } = incoming.headers
    if (!isUsableHost(stated)) return null
    const isForwarded = hosts.length > 1 && typeof forwarded === 'string' && isProxyTrusted(incoming)
    return hostNamed(hosts, isForwarded ? forwarded : stated)
  }

  return (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
    const { headers, url = '' } = incoming
    if (url !== checkPath && !url.startsWith(`${checkPath}?`)) return false
    const names = plainNames(incoming)
    const host = names && hostOf(incoming)
    if (names === null || host === null) return false
    const request = {
      host,
      query: readForwardQuery(url.slice(checkPath.length)),
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
