import type { IncomingMessage, RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Cidr } from '../../lib/ip-address.ts'
import { isTrustedPeer } from '../../lib/trusted-proxies.ts'
import type { App } from '../app.ts'
import type { SessionCheck } from '../session/check.ts'
import type { DirectForward } from '../session/direct-forward.ts'
import { clientNetwork } from './client-network.ts'

/**
 * Returns the listener of the handler's server.
 * @param answerForward answers what it can without the router; null to answer everything with it
 */
export function createListener(
  app: App,
  trustedProxies: readonly Cidr[],
  answerForward: DirectForward | null,
): RequestListener {
  const checks = new WeakMap<IncomingMessage, Promise<SessionCheck>>()
  // A request with a malformed target or Host gets a 404 with every security header.
  const errorHandler = () => app(new Request('http://localhost/unreadable'))
  const serve = getRequestListener(
    (request, { incoming }) =>
      app(request, {
        check: checks.get(incoming as IncomingMessage),
        clientNetwork: () =>
          clientNetwork(
            incoming.socket.remoteAddress,
            request.headers.get('x-forwarded-for'),
            trustedProxies,
          ),
        isProxyTrusted: () => isTrustedPeer(incoming.socket.remoteAddress, trustedProxies),
      }),
    { errorHandler },
  )
  if (answerForward === null) return serve
  return (incoming, outgoing) =>
    answerForward(incoming, outgoing, check => {
      if (check !== undefined) checks.set(incoming, check)
      void serve(incoming, outgoing)
    })
}
