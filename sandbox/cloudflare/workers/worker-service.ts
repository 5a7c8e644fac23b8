import type { HttpAnswer } from '../../http/delivery.ts'
import type { Service } from '../../http/emulated-service.ts'
import type { Exchange, RequestHead } from '../../http/exchange.ts'
import { loopback } from '../../http/server.ts'
import type { WorkerResponse, WorkersRuntime } from './runtime.ts'
import type { Workers } from './workers.ts'

const exceptionAnswer: HttpAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=UTF-8' },
  body: 'error code: 1101\n',
}

/** Whether workerd reports an uncaught error. Unlike this response, a text from a Worker has a Content-Type. */
const isThrown = ({ status, headers, body }: WorkerResponse): boolean =>
  status === 500 && Object.keys(headers).length === 0 && body.toString() === 'Internal Server Error'

/** Returns the full URL of a request, with the host that the client sent. */
function urlOf({ secure, headers, path, query }: RequestHead): URL | null {
  const target = `${secure ? 'https' : 'http'}://${headers['host'] ?? ''}${path}${query === '' ? '' : `?${query}`}`
  return URL.canParse(target) ? new URL(target) : null
}

/** Whether a Worker answers a request. */
function isForWorker(workers: Workers, head: RequestHead): boolean {
  if (workers.domains.size === 0) return false
  const url = urlOf(head)
  return url !== null && workers.domainOf(url.hostname) !== null
}

/** Returns the service behind the custom domains of Workers. */
export function workerService(workers: Workers, runtime: WorkersRuntime): Service {
  async function answer(exchange: Exchange): Promise<HttpAnswer> {
    const { method, headers, body, secure } = exchange
    const url = urlOf(exchange)
    const domain = url && workers.domainOf(url.hostname)
    if (url === null || domain === null) return { status: 404, headers: {}, body: '' }
    const response = await runtime.fetch(domain.service, {
      method,
      url: url.href,
      headers: {
        ...headers,
        host: url.host,
        'cf-connecting-ip': loopback,
        'x-forwarded-proto': secure ? 'https' : 'http',
      },
      body: body.length > 0 ? body : undefined,
    })
    if (!isThrown(response)) return response
    // documented: If a Worker throws, the client receives 500 with error 1101. Assumed: the body is always the text "error code:
    // 1101". [documentation of Workers, errors at run time]
    return exceptionAnswer
  }
  return {
    name: 'workers',
    claim: head => (isForWorker(workers, head) ? 0 : null),
    answer,
  }
}
