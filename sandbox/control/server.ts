import type { IncomingMessage } from 'node:http'
import { type HttpServer, readBody, serveHttp, splitTarget } from '../http/server.ts'
import type { Operations } from '../http/service.ts'
import { ValidationError } from '../http/validation.ts'

interface Reply {
  readonly status: number
  readonly body: unknown
}

const refusal = (status: number, error: string): Reply => ({ status, body: { error } })

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/**
 * Refuses what a web page elsewhere could make a browser send. A name that was rebound to loopback shows in Host, a
 * cross-site request in Origin.
 */
function refuseStrangers({ headers: { host, origin } }: IncomingMessage): Reply | undefined {
  if (!loopbackHost.test(host ?? '')) {
    return refusal(403, `Only loopback hosts are answered, not "${host ?? ''}". Use http://127.0.0.1:<port>.`)
  }
  if (origin === undefined || loopbackHost.test(origin.replace(/^https?:\/\//, ''))) return undefined
  return refusal(403, `Requests from other origins ("${origin}") are not answered.`)
}

async function operate(operations: Operations, request: IncomingMessage): Promise<Reply> {
  const stranger = refuseStrangers(request)
  if (stranger) return stranger
  const { path } = splitTarget(request.url ?? '/')
  const methods = Object.hasOwn(operations, path) ? operations[path] : undefined
  if (methods === undefined) {
    return refusal(404, `Nothing is at ${path}. There are ${Object.keys(operations).join(', ')}.`)
  }
  const method = request.method ?? ''
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (operation === undefined) {
    return refusal(405, `${path} does not know ${method}, only ${Object.keys(methods).join(', ')}.`)
  }
  const body = await readBody(request)
  if (body.kind === 'oversized') return refusal(413, 'The body is larger than 1 MiB. Send it in parts.')
  try {
    return { status: 200, body: operation(body.kind === 'text' ? JSON.parse(body.text) : undefined) }
  } catch (error) {
    if (error instanceof ValidationError) return refusal(400, error.message)
    if (error instanceof SyntaxError) return refusal(400, `The body must be JSON: ${error.message}.`)
    throw error
  }
}

/** Serves `control`. @throws ListenError */
export function startControl(operations: Operations, port: number): Promise<HttpServer> {
  return serveHttp('control', port, async (request, response) => {
    const { status, body } = await operate(operations, request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
  })
}
