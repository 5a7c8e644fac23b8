import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerContext } from './context.ts'
import { deliver } from './delivery.ts'
import { type Exchange, headOf, type RequestHead } from './exchange.ts'
import { faultyAnswer } from './fault-answers.ts'
import { type HttpServer, readBody, serveHttp } from './server.ts'
import { chooseInstance, type ServiceInstance } from './virtual-hosts.ts'

const maxJournalledBody = 64 * 1024

async function handle(
  context: ServerContext,
  { service, instance }: ServiceInstance,
  head: RequestHead,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, path, query, headers } = head
  const entry = context.journal.open({ service: service.name, instance, method, path, query, headers })
  const body = await readBody(request)
  if (body.length > 0) entry.body = body.toString().slice(0, maxJournalledBody)
  const exchange: Exchange = { ...head, instance, body }
  const fault = context.faults.take(service.name, exchange)
  const answer = fault ? await faultyAnswer(fault, service, exchange) : await service.answer(exchange)
  if (fault?.answer.kind === 'delay') await pause(fault.answer.byMs, undefined, { ref: false })
  if (fault?.answer.kind === 'reset') response.socket?.resetAndDestroy()
  if (answer === null || response.destroyed) return
  entry.status = answer.status
  deliver(response, answer)
}

/** A port and the service that answers on it. */
interface Port {
  /** Whether to serve HTTPS, with certificates of the sandbox's authority. */
  readonly secure?: boolean
  /** Returns the only service on this port. Without it, all services share the port. */
  readonly target?: () => ServiceInstance
}

/** Serves services on a port, with the journal and faults. No client knows the port before all services have started. */
export async function serve(context: ServerContext, { secure, target }: Port = {}): Promise<HttpServer> {
  const choose = target ?? ((head: RequestHead) => chooseInstance(context.services, head))
  const identity = secure ? await context.authority : undefined
  const server = serveHttp(async (request, response) => {
    const head = headOf(request)
    await handle(context, choose(head), head, request, response)
  }, identity)
  return context.run(server)
}
