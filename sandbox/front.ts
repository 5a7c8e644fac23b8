import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, type Channel, deliver, deliverFault } from './delivery.ts'
import type { Faults } from './faults.ts'
import { type Body, flatHeaders, type HttpServer, readBody, serveHttp, splitTarget } from './http-server.ts'
import { cite, type Journal, type JournalEntry } from './journal.ts'
import type { LedgerId } from './ledger.ts'

/** One request, as the code that answers it sees it. */
export type Exchange = {
  readonly method: string
  /** As sent, without the query. */
  readonly path: string
  /** The raw query string. */
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  /** The client's address. */
  readonly address: string
  /** Notes which behaviour of the ledger the answer rests on. */
  cite(id: LedgerId): void
}

/** A stand-in's own part. */
export type Service = {
  readonly name: 'cloudflare' | 'echo'
  readonly instance?: number
  answer(exchange: Exchange): Answer | Promise<Answer>
  /** Answers and then undoes whatever the answer changed. */
  rehearse(exchange: Exchange): Answer | Promise<Answer>
}

/** What every service in front of a client shares. */
export type Surroundings = {
  readonly journal: Journal
  readonly faults: Faults
  /** The id of the token that stands in an Authorization header, null when it is none of ours. */
  tokenIdOf(authorization: string | undefined): string | null
  /** Takes every token's value out of a text. */
  redact(text: string): string
  renderErrors(errors: readonly { code: number; message: string }[]): string
}

const longestJournalledBody = 64 * 1024
const credentialHeaders = /^(authorization|proxy-authorization|cookie|x-auth-.*)$/

const redactHeaders = (
  headers: Readonly<Record<string, string>>,
  tokenId: string | null,
  redact: Surroundings['redact'],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === 'authorization') return [name, `Bearer <${tokenId ?? 'unknown'}>`]
      return [name, credentialHeaders.test(name) ? '<redacted>' : redact(value)]
    }),
  )

const arrive = (service: Service, request: IncomingMessage, surroundings: Surroundings): JournalEntry => {
  const { path, query } = splitTarget(request.url ?? '/')
  const headers = flatHeaders(request)
  const tokenId = surroundings.tokenIdOf(headers['authorization'])
  return surroundings.journal.open({
    service: service.name,
    ...(service.instance === undefined ? {} : { instance: service.instance }),
    method: request.method ?? '',
    path: surroundings.redact(path),
    query: surroundings.redact(query),
    headers: redactHeaders(headers, tokenId, surroundings.redact),
    tokenId,
  })
}

const handle = async (
  service: Service,
  surroundings: Surroundings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const entry = arrive(service, request, surroundings)
  const body = await readBody(request)
  if (body.kind === 'text') entry.body = surroundings.redact(body.text).slice(0, longestJournalledBody)
  const method = request.method ?? ''
  const { path, query } = splitTarget(request.url ?? '/')
  const exchange: Exchange = {
    method,
    path,
    query,
    headers: flatHeaders(request),
    body,
    address: request.socket.remoteAddress ?? '',
    cite: id => cite(entry, id),
  }
  const channel: Channel = {
    response,
    begun: status => {
      entry.status = status
    },
  }
  const { instance } = service
  const fault = surroundings.faults.take({
    service: service.name,
    ...(instance === undefined ? {} : { instance }),
    method,
    path,
  })
  if (fault === undefined) {
    deliver(channel, await service.answer(exchange))
    return
  }
  entry.fault = fault.answer.kind
  const real = await (fault.commit === true ? service.answer(exchange) : service.rehearse(exchange))
  deliverFault(channel, fault.answer, real, surroundings.renderErrors)
}

/** Serves a stand-in behind the journal and the faults. @throws ListenError */
export const serve = (service: Service, port: number, surroundings: Surroundings): Promise<HttpServer> =>
  serveHttp(service.name, port, (request, response) => handle(service, surroundings, request, response))
