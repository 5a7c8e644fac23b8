import type { IncomingMessage } from 'node:http'
import type { ControlOperations } from '../http/emulated-service.ts'
import { type HttpServer, readBody, serveHttp, splitTarget } from '../http/server.ts'
import { ValidationError } from '../http/validation.ts'
import { isLoopback } from '../http/virtual-hosts.ts'

interface Reply {
  readonly status: number
  readonly body: unknown
}

const refusal = (status: number, error: string): Reply => ({ status, body: { error } })

/**
 * Refuses requests that another web page could make a browser send: DNS rebinding shows in Host, a cross-site request in
 * Origin.
 */
function refuseForeign({ headers: { host, origin } }: IncomingMessage): Reply | null {
  if (!isLoopback(host ?? '')) {
    return refusal(403, `The host "${host ?? ''}" is not a loopback host. Use http://127.0.0.1:<port>.`)
  }
  if (origin === undefined || isLoopback(origin.replace(/^https?:\/\//, ''))) return null
  return refusal(403, `Requests from the origin "${origin}" are refused.`)
}

async function operate(operations: ControlOperations, request: IncomingMessage): Promise<Reply> {
  const refused = refuseForeign(request)
  if (refused) return refused
  const { path } = splitTarget(request.url ?? '/')
  const methods = Object.hasOwn(operations, path) ? operations[path] : undefined
  if (methods === undefined) {
    return refusal(404, `${path} does not exist. Use one of ${Object.keys(operations).join(', ')}.`)
  }
  const method = request.method ?? ''
  const operation = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (operation === undefined) {
    return refusal(405, `${path} does not support ${method}. Use ${Object.keys(methods).join(' or ')}.`)
  }
  const body = await readBody(request)
  if (body.kind === 'oversized') return refusal(413, 'The body is larger than 1 MiB. Send it in parts.')
  try {
    const result = operation(body.kind === 'text' ? JSON.parse(body.text) : undefined)
    return { status: 200, body: result ?? { ok: true } }
  } catch (error) {
    if (error instanceof ValidationError) return refusal(400, error.message)
    if (error instanceof SyntaxError) return refusal(400, `The body must be JSON: ${error.message}.`)
    throw error
  }
}

/**
 * Starts the control interface.
 * @throws ListenError
 */
export function startControl(operations: ControlOperations): Promise<HttpServer> {
  return serveHttp('control', 0, async (request, response) => {
    const { status, body } = await operate(operations, request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
  })
}
