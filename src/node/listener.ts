import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Cidr } from '../../lib/ip-address.ts'
import { isTrustedPeer } from '../../lib/trusted-proxies.ts'
import type { App, Handler } from '../app.ts'
import { clientNetwork } from '../http/client-network.ts'
import { createForwardAdapter } from './forward.ts'

/** Returns the listener of the handler's server. */
export function createListener(handler: Handler, trustedProxies: readonly Cidr[]): RequestListener {
  const answerForward = createForwardAdapter(handler, ({ socket }) =>
    isTrustedPeer(socket.remoteAddress, trustedProxies),
  )
  const serve = createGeneralListener(handler.app, trustedProxies)
  return (incoming, outgoing) => {
    if (!answerForward(incoming, outgoing)) serve(incoming, outgoing)
  }
}

/** Returns the listener that answers every request with the router. */
export function createGeneralListener(app: App, trustedProxies: readonly Cidr[]): RequestListener {
  // A request with a malformed target or Host gets a 404 with every security header.
  const errorHandler = () => app(new Request('http://localhost/unreadable'))
  const listener = getRequestListener(
    (request, { incoming }) =>
      app(request, {
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
  return (incoming, outgoing) => void listener(incoming, outgoing)
}
