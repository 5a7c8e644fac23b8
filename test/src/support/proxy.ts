import { createServer, type IncomingHttpHeaders } from 'node:http'
import { freePort } from '../../../tools/free-port.ts'

/** A request that reached the application behind the proxy. */
export interface Passed {
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface ReverseProxy {
  readonly origin: string
  readonly passed: readonly Passed[]
  close(): Promise<void>
}

/**
 * Starts a reverse proxy that behaves like nginx's auth_request and Caddy's forward_auth as docs/proxies.md configures them.
 * It sends the request's headers to the forward route, without a body. On 2xx it passes the request on with that
 * response's X-Homeport headers, never the client's own. On 401 it redirects to sign-in. Anything else is a gateway error.
 */
export async function startProxy(handlerOrigin: string): Promise<ReverseProxy> {
  const passed: Passed[] = []
  const server = createServer(async (request, response) => {
    const own = new Headers()
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === 'string' && !name.startsWith('x-homeport-') && name !== 'connection')
        own.set(name, value)
    }
    const check = await fetch(`${handlerOrigin}/api/auth/forward`, { headers: own, redirect: 'manual' })
    await check.text()
    for (const cookie of check.headers.getSetCookie()) response.appendHeader('set-cookie', cookie)
    if (check.status === 401) {
      response.writeHead(302, { location: `${handlerOrigin}/?return=${request.url}` }).end()
    } else if (!check.ok) {
      response.writeHead(500).end()
    } else {
      for (const [name, value] of check.headers) if (name.startsWith('x-homeport-')) own.set(name, value)
      passed.push({ path: request.url ?? '', headers: Object.fromEntries(own) })
      response.end('the application')
    }
  })
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${port}`,
    passed,
    async close() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}
