import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ErrorForm } from '../cloudflare/errors.ts'
import type { FaultEffect } from '../cloudflare/fault-effects.ts'
import type { LedgerId } from '../ledger.ts'
import { type Channel, deliver, deliverFault, type HttpAnswer } from './delivery.ts'
import type { Faults, FaultyService } from './faults.ts'
import { cite, type Journal, type JournalEntry } from './journal.ts'
import {
  type Body,
  flatHeaders,
  type HttpServer,
  type Identity,
  readBody,
  type ServiceName,
  serveHttp,
  splitTarget,
} from './server.ts'

/** One request, as the code that answers it sees it. */
export type Exchange = {
  /** Whether it came over TLS. */
  readonly secure: boolean
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
  /** Puts a text in the place of the body in the journal, which keeps no body that may hold code or secrets. */
  describe(body: string): void
}

/** A stand-in's own part. */
export type Service = {
  readonly name: FaultyService
  readonly instance?: number
  /** Its clients may send what nobody else is to read: bodies and the values of queries are not journalled. */
  readonly confidential?: true
  /** It is not one of those that stand in for others: the journal and the faults pass it by. */
  readonly unrecorded?: true
  answer(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
  /** Answers and then undoes whatever the answer changed. */
  dryRun(exchange: Exchange): HttpAnswer | Promise<HttpAnswer>
}

/** What of a request tells who answers it. */
export type RequestHead = Pick<Exchange, 'secure' | 'method' | 'path' | 'query' | 'headers' | 'address'>

/** What every service in front of a client shares. */
export type ServerContext = {
  readonly journal: Journal
  readonly faults: Faults
  /** The id of the token that stands in an Authorization header, null when it is none of ours. */
  tokenIdOf(authorization: string | undefined): string | null
  /** Takes every token's value out of a text. */
  redact(text: string): string
  renderErrors(errors: readonly { code: number; message: string }[], form?: ErrorForm): string
  /** Lets a fault's effect happen to the services. */
  apply(effect: FaultEffect, tokenId: string | null): void
}

const longestJournalledBody = 64 * 1024
const credentialHeaders = /^(authorization|proxy-authorization|cookie|x-auth-.*)$/

/** Forms and scripts: what is in them is known only to the operation that reads them. */
const mayHoldCode = ({ headers }: IncomingMessage): boolean =>
  /^(multipart\/form-data|application\/javascript)\b/i.test(headers['content-type'] ?? '')

/** Takes the text out of every JSON object that says it is a secret. */
const withoutSecrets = (text: string): string => {
  if (!text.includes('"secret_text"')) return text
  return text.replace(/\{(?:[^{}"]|"(?:[^"\\]|\\.)*")*\}/g, object =>
    object.includes('"secret_text"')
      ? object.replace(/("text"\s*:\s*)"(?:[^"\\]|\\.)*"/g, '$1"<secret>"')
      : object,
  )
}

const redactHeaders = (
  headers: Readonly<Record<string, string>>,
  tokenId: string | null,
  { redact }: ServerContext,
  { confidential }: Service,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === 'authorization') return [name, `Bearer <${tokenId ?? 'unknown'}>`]
      if (name === 'referer' && confidential) return [name, redact(value.replace(/\?.*/s, '?…'))]
      return [name, credentialHeaders.test(name) ? '<redacted>' : redact(value)]
    }),
  )

const arrive = (service: Service, request: IncomingMessage, context: ServerContext): JournalEntry => {
  const { path, query } = splitTarget(request.url ?? '/')
  const headers = flatHeaders(request)
  const tokenId = context.tokenIdOf(headers['authorization'])
  return context.journal.open({
    service: service.name,
    ...(service.instance === undefined ? {} : { instance: service.instance }),
    method: request.method ?? '',
    path: context.redact(path),
    query: service.confidential ? query.replace(/=[^&]*/g, '=…') : context.redact(query),
    headers: redactHeaders(headers, tokenId, context, service),
    tokenId,
  })
}

/** What the journal keeps of a body. */
const shownBody = ({ confidential }: Service, request: IncomingMessage, body: Body): string | undefined => {
  if (body.kind !== 'text') return undefined
  return confidential || mayHoldCode(request) ? `${body.bytes.length} bytes` : body.text
}

const askedOf = (request: IncomingMessage): RequestHead => ({
  secure: 'encrypted' in request.socket,
  method: request.method ?? '',
  ...splitTarget(request.url ?? '/'),
  headers: flatHeaders(request),
  address: request.socket.remoteAddress ?? '',
})

const answerUnrecorded = async (
  service: Service,
  asked: RequestHead,
  response: ServerResponse,
): Promise<void> => {
  const ignored = () => undefined
  const exchange: Exchange = { ...asked, body: { kind: 'none' }, cite: ignored, describe: ignored }
  deliver({ response, begun: ignored }, await service.answer(exchange))
}

const handle = async (
  service: Service,
  asked: RequestHead,
  context: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (service.unrecorded) return answerUnrecorded(service, asked, response)
  const entry = arrive(service, request, context)
  if (asked.secure) cite(entry, 'tls.issued')
  const body = await readBody(request)
  const keep = (text: string) => {
    const shown = withoutSecrets(context.redact(text)).slice(0, longestJournalledBody)
    context.journal.keepBody(entry, shown)
  }
  const shown = shownBody(service, request, body)
  if (shown !== undefined) keep(shown)
  const exchange: Exchange = { ...asked, body, cite: id => cite(entry, id), describe: keep }
  const channel: Channel = {
    response,
    begun: status => {
      entry.status = status
    },
  }
  const { instance } = service
  const fault = context.faults.take({
    service: service.name,
    ...(instance === undefined ? {} : { instance }),
    method: asked.method,
    path: asked.path,
  })
  if (fault === undefined) {
    deliver(channel, await service.answer(exchange))
    return
  }
  const { effect, answer, when } = fault
  entry.fault = answer?.kind ?? effect?.kind ?? null
  if (effect && when !== 'after') context.apply(effect, entry.tokenId)
  const carriedOut = answer === undefined || fault.commit === true
  const real = await (carriedOut ? service.answer(exchange) : service.dryRun(exchange))
  if (effect && when === 'after') context.apply(effect, entry.tokenId)
  if (answer === undefined) deliver(channel, real)
  else deliverFault(channel, answer, real, context.renderErrors)
}

/**
 * Serves stand-ins behind the journal and the faults.
 * @param name what the port is for
 * @param choose who answers a request
 * @param identity makes it HTTPS
 * @throws ListenError
 */
export const serve = (
  name: ServiceName,
  choose: (asked: RequestHead) => Service,
  port: number,
  context: ServerContext,
  identity?: Identity,
): Promise<HttpServer> =>
  serveHttp(
    name,
    port,
    async (request, response) => {
      const asked = askedOf(request)
      await handle(choose(asked), asked, context, request, response)
    },
    identity,
  )
