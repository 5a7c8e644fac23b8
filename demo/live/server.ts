import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { type HttpServer, loopback, serveHttp } from '../../sandbox/http/server.ts'
import { routes } from '../../src/routes.ts'
import type { Live } from './live.ts'
import { paths, policy, renderPage } from './page.ts'

const sessionTimeoutMs = 2000

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  // Not no-referrer, with which a browser sends forms with the origin "null".
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** Returns the origin of the page. Its name is localhost, where browsers keep secure cookies without TLS. */
export const originOf = (port: number): string => `http://localhost:${port}`

/**
 * Serves the page on loopback, in front of the sign-in handler, like a proxy in production.
 * @throws ListenError
 */
export function serveLivePage(live: Live, port: number): Promise<HttpServer> {
  const origin = originOf(port)
  return serveHttp('the live page', port, async (request, response) => {
    const { host = '', origin: sender, 'sec-fetch-site': site = 'same-origin' } = request.headers
    const isRead = request.method === 'GET'
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (host === `${loopback}:${port}` && isRead) {
      redirect(response, `${origin}${paths.page}`)
    } else if (host.toLowerCase() !== `localhost:${port}`) {
      // Another name for this address means DNS rebinding.
      refuse(response, 403, `This page is at ${origin}.`)
    } else if (request.url === '/' && isRead) {
      redirect(response, paths.page)
    } else if (path === paths.page && isRead) {
      live.open()
      const user = await signedInUser(live, request)
      response.writeHead(200, pageHeaders).end(renderPage(live.state, user))
    } else if (path === paths.events && isRead) {
      if (site === 'same-origin') live.watch(response)
      else refuse(response, 403, 'Only the page itself may watch.')
    } else if (path === paths.address || path === paths.round) {
      if (request.method !== 'POST') refuse(response, 405, 'Use POST.')
      else if (sender !== origin) refuse(response, 403, `Send this from ${origin}.`)
      else {
        await (path === paths.round ? live.round() : live.changeAddress())
        redirect(response, paths.page)
      }
    } else {
      passOn(live, request, response)
    }
  })
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response
    .writeHead(status, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' })
    .end(`${message}\n`)
}

/** Returns the name of a request's signed-in user, by the forward route, as any service behind the handler does. */
async function signedInUser(live: Live, { headers }: IncomingMessage): Promise<string | null> {
  const { cookie } = headers
  const port = live.signInPort
  if (port === null || cookie === undefined) return null
  const options = { headers: { cookie }, signal: AbortSignal.timeout(sessionTimeoutMs) }
  const answer = await fetch(`http://${loopback}:${port}${routes.forward}`, options).catch(() => null)
  const name = answer?.status === 204 ? answer.headers.get('x-homeport-username') : null
  return name === null ? null : decodeURIComponent(name)
}

/** Passes a request on to the sign-in handler. */
function passOn(live: Live, request: IncomingMessage, response: ServerResponse): void {
  const port = live.signInPort
  if (port === null) {
    refuse(response, 503, 'The sign-in handler has not started yet.')
    return
  }
  const { method, url: path, headers } = request
  const passed = sendRequest({ host: loopback, port, method, path, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, 'The sign-in handler does not answer.')
  })
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}
