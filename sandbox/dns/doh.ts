import { encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import type { HttpAnswer } from '../http/delivery.ts'
import type { Exchange, RequestHead } from '../http/exchange.ts'
import type { Service } from '../http/service.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'
import { toJson } from './json.ts'
import { dnsAreas } from './ledger.ts'
import { decide } from './name-server.ts'
import { type Query, type Reply, readQuery, writeRcode, writeReply } from './wire.ts'
import type { ZoneView } from './zone-view.ts'

/** As if two operators ran them: a caller can want both to agree. */
export const resolverCount = 2

/** The path of a resolver. @param instance from 0 */
export const resolverPath = (instance: number): string => `/doh/${instance + 1}/dns-query`

const wireType = 'application/dns-message'
const jsonType = 'application/dns-json'
const longestMessage = 65_535
const recursionAvailable = 0x80
/** Where the type of a question stands that is the last thing in a message. */
const typeFromEnd = 4

const plain = (status: number, body: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: `${body}\n`,
})

/** Seconds that an answer may be kept: as long as its shortest-lived record (RFC 8484 section 5.1). */
const freshness = ({ answers, authorities }: Reply): number => {
  const ttls = [...answers, ...authorities].map(record => ('ttl' in record ? (record.ttl ?? 0) : 0))
  return ttls.length === 0 ? 0 : Math.min(...ttls)
}

/** What a resolver makes of an authoritative answer: not its own word, and a refusal is a failure to find out. */
const asResolver = (reply: Reply): Reply => ({
  ...reply,
  authoritative: false,
  rcode: reply.rcode === 'REFUSED' ? 'SERVFAIL' : reply.rcode,
})

const sent = (type: string, reply: Reply, body: string | Buffer): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': `max-age=${freshness(reply)}` },
  body,
})

const resolve = (view: ZoneView, query: Query, { cite }: Exchange): Reply => {
  try {
    return asResolver(decide(view, query, cite))
  } catch {
    // A record that a test put may hold what has no wire form.
    return { rcode: 'SERVFAIL', authoritative: false, answers: [], authorities: [], additionals: [] }
  }
}

const answerWire = (view: ZoneView, message: Buffer, exchange: Exchange): HttpAnswer => {
  const query = readQuery(message)
  if (query === undefined) {
    exchange.cite('doh.refused')
    return plain(400, 'That is no DNS query.')
  }
  exchange.cite('doh.wire')
  if ('rcode' in query) {
    exchange.describe('')
    return { status: 200, headers: { 'content-type': wireType }, body: writeRcode(query) }
  }
  exchange.describe(`${query.name} ${query.type}`)
  const reply = resolve(view, query, exchange)
  const { packet } = writeReply(query, reply, longestMessage)
  packet.writeUInt8(packet.readUInt8(3) | recursionAvailable, 3)
  return sent(wireType, reply, packet)
}

/** A message that asks for a name and a type, given by its name or its number. */
const makeQuery = (name: string, type: string): Query | undefined => {
  if (name === '') return undefined
  const number = /^\d{1,5}$/.test(type) ? Number(type) : undefined
  const known = (number === undefined ? type.toUpperCase() : 'A') as RecordType
  try {
    const message = encode({
      type: 'query',
      id: 0,
      flags: RECURSION_DESIRED,
      questions: [{ name, type: known }],
    })
    if (number !== undefined) message.writeUInt16BE(number, message.length - typeFromEnd)
    const query = readQuery(message)
    return query === undefined || 'rcode' in query ? undefined : query
  } catch {
    return undefined
  }
}

const answerJson = (view: ZoneView, parameters: URLSearchParams, exchange: Exchange): HttpAnswer => {
  const query = makeQuery((parameters.get('name') ?? '').replace(/\.$/, ''), parameters.get('type') ?? 'A')
  if (query === undefined) {
    exchange.cite('doh.refused')
    return plain(400, 'The query must have a name, and a type that there is.')
  }
  exchange.cite('doh.json')
  const reply = resolve(view, query, exchange)
  return sent(jsonType, reply, toJson(query, reply))
}

const answerWith = (view: ZoneView, exchange: Exchange): HttpAnswer => {
  const { method, query, headers, body, cite } = exchange
  const parameters = new URLSearchParams(query)
  const refuse = (status: number, text: string) => {
    cite('doh.refused')
    return plain(status, text)
  }
  if (method === 'GET') {
    const message = parameters.get('dns')
    if (message !== null) return answerWire(view, Buffer.from(message, 'base64url'), exchange)
    return answerJson(view, parameters, exchange)
  }
  if (method !== 'POST') return refuse(405, 'Only GET and POST are answered.')
  if (headers['content-type'] !== wireType) return refuse(415, `The body must be ${wireType}.`)
  return body.kind === 'text' && body.bytes.length <= longestMessage
    ? answerWire(view, body.bytes, exchange)
    : refuse(400, 'That is no DNS query.')
}

/** Resolvers that claim a path, whatever it is reached by. */
const resolverPaths = ['/dns-query', '/resolve']

/** Public resolvers, for clients whose hosts file points here. */
const hosts: Readonly<Record<string, number>> = {
  'cloudflare-dns.com': 0,
  'one.one.one.one': 0,
  'dns.google': 1,
}

function instanceFor(head: RequestHead): number | undefined {
  if (resolverPaths.includes(head.path)) return instanceByHost(hosts, head) ?? 0
  const numbered = Array.from({ length: resolverCount }, (_, instance) => resolverPath(instance))
  const at = numbered.indexOf(head.path)
  return at < 0 ? undefined : at
}

/**
 * Resolves names over HTTP: in wire format (RFC 8484) and in JSON.
 * @param viewOf returns what a resolver sees now
 */
export function resolverService(viewOf: (instance: number) => ZoneView): Service {
  function answer(exchange: Exchange): HttpAnswer {
    const view = viewOf(exchange.instance)
    if (view.late) exchange.cite('dns.late')
    return answerWith(view, exchange)
  }
  return {
    name: 'doh',
    instances: resolverCount,
    claim: instanceFor,
    answer,
    dryRun: answer,
    ledger: dnsAreas,
  }
}
