import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange, RequestHead, Service } from '../../http/exchange.ts'
import { loopback } from '../../http/server.ts'
import { mostSpecific } from './pattern.ts'
import type { WorkerResponse, WorkersRuntime } from './runtime.ts'
import type { Workers } from './workers.ts'

/** What leads a URL to a Worker. */
type Way = { readonly script: string; readonly by: 'route' | 'domain' }

/** The Worker that answers for a URL, if any does. A route without a script keeps its URLs from every Worker. */
export const wayTo = (workers: Workers, url: URL): Way | undefined => {
  const route = mostSpecific([...workers.routes.values()], url)
  if (route) return route.script === undefined ? undefined : { script: route.script, by: 'route' }
  const domain = workers.domainOf(url.hostname)
  return domain && { script: domain.service, by: 'domain' }
}

const thrown: HttpAnswer = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=UTF-8' },
  body: 'error code: 1101\n',
}

/** Whether workerd answered in the place of a Worker: no answer with a text that a Worker makes lacks its media type. */
const isThrown = ({ status, headers, body }: WorkerResponse): boolean =>
  status === 500 && Object.keys(headers).length === 0 && body.toString() === 'Internal Server Error'

/** The whole URL of a request, whose host is what the client calls it. */
export const urlOf = ({ secure, headers, path, query }: RequestHead): URL | undefined => {
  const target = `${secure ? 'https' : 'http'}://${headers['host'] ?? ''}${path}${query === '' ? '' : `?${query}`}`
  return URL.canParse(target) ? new URL(target) : undefined
}

/** Whether a Worker answers for a request. */
export const isForWorker = (workers: Workers, asked: RequestHead): boolean => {
  if (workers.domains.size === 0 && workers.routes.size === 0) return false
  const url = urlOf(asked)
  return url !== undefined && wayTo(workers, url) !== undefined
}

/** Answers for the custom domains and routes of Workers. */
export const workerService = (workers: Workers, runtime: WorkersRuntime): Service => {
  const answer = async (exchange: Exchange): Promise<HttpAnswer> => {
    const { method, headers, body, secure, cite } = exchange
    const url = urlOf(exchange)
    const way = url && wayTo(workers, url)
    if (url === undefined || way === undefined) return { status: 404, headers: {}, body: '' }
    cite(way.by === 'route' ? 'workers.fetch.route' : 'workers.fetch')
    const response = await runtime.fetch(way.script, {
      method,
      url: url.href,
      headers: {
        ...headers,
        host: url.host,
        'cf-connecting-ip': loopback,
        'x-forwarded-proto': secure ? 'https' : 'http',
      },
      body: body.kind === 'text' ? body.bytes : undefined,
    })
    if (!isThrown(response)) return response
    cite('workers.fetch.exception')
    return thrown
  }
  // What a Worker does cannot be undone, so it is not done.
  const dryRun = () => ({ status: 200, headers: {}, body: '' })
  return { name: 'workers', confidential: true, answer, dryRun }
}
