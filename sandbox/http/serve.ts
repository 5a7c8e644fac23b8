import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerContext } from './context.ts'
import { type Channel, deliver, type HttpAnswer } from './delivery.ts'
import type { Service } from './emulated-service.ts'
import { type Exchange, headOf, type RequestHead } from './exchange.ts'
import { altered, replacement } from './fault-answers.ts'
import type { Fault } from './faults.ts'
import { type HttpServer, readBody, serveHttp } from './server.ts'
import { chooseInstance, type ServiceInstance } from './virtual-hosts.ts'

const maxJournalledBody = 64 * 1024

/** Answers a request with a fault. With `commit`, the service handles it too. */
async function answerWithFault(
  service: Service,
  exchange: Exchange,
  { commit, answer }: Fault,
): Promise<HttpAnswer> {
  const replaced = replacement(answer, service, exchange)
  if (replaced && !commit) return replaced
  const real = await service.answer(exchange)
  return replaced ?? altered(answer, real)
}

async function handle(
  context: ServerContext,
  { service, instance }: ServiceInstance,
  head: RequestHead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, path, query, headers } = head
  const entry = context.journal.open({
    service: service.name,
    ...(service.instances === undefined ? {} : { instance }),
    method,
    path,
    query,
    headers,
  })
  const body = await readBody(request)
  if (body.length > 0) entry.body = body.toString().slice(0, maxJournalledBody)
  const exchange: Exchange = {
    ...head,
    instance,
    body,
  }
  const channel: Channel = {
    response,
    begun: status => {
      entry.status = status
    },
  }
  const active = context.faults.take(service.name, exchange)
  if (active === null) {
    deliver(channel, await service.answer(exchange))
    return
  }
  deliver(channel, await answerWithFault(service, exchange, active))
}

/** A port and the service that answers on it. */
interface Port {
  /** Whether to serve HTTPS, with certificates of the sandbox's authority. */
  readonly secure?: boolean
  /** Returns the only service on this port. Without it, all services share the port. */
  readonly target?: () => ServiceInstance | null
}

/** Serves services on a port, with the journal and faults. Requests wait until all services have started. */
export async function serve(context: ServerContext, { secure, target }: Port = {}): Promise<HttpServer> {
  const choose = target ?? ((head: RequestHead) => chooseInstance(context.services, head))
  const identity = secure ? await context.authority : undefined
  const server = serveHttp(async (request, response) => {
    await context.ready
    const head = headOf(request)
    const chosen = choose(head)
    if (chosen) await handle(context, chosen, head, request, response)
    else response.writeHead(503).end()
  }, identity)
  return context.run(server)
}
