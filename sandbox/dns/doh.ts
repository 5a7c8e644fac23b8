import { encode, RECURSION_DESIRED, type RecordType } from 'dns-packet'
import { type HttpAnswer, plainText } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange, RequestHead } from '../http/exchange.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'
import { toJson } from './json.ts'
import { dnsAreas } from './ledger.ts'
import { replyTo } from './name-server.ts'
import { emptyReply, type Query, type Reply, readQuery, writeRcode, writeReply } from './wire.ts'
import type { ZoneView } from './zone-view.ts'

/** One resolver for each of two operators, for clients that require both to agree. */
export const resolverCount = 2

/** Returns the path of a resolver, numbered from 0. */
export const resolverPath = (instance: number): string => `/doh/${instance + 1}/dns-query`

const wireType = 'application/dns-message'
const jsonType = 'application/dns-json'
const maxMessageBytes = 65_535
const recursionAvailable = 0x80
/** The offset of the type from the end of a message that ends with its question. */
const typeOffsetFromEnd = 4

/** Returns how long a reply can be cached, in seconds: the minimum ttl of its records (RFC 8484 section 5.1). */
function freshness({ answers, authorities }: Reply): number {
  const ttls = [...answers, ...authorities].map(record => ('ttl' in record ? (record.ttl ?? 0) : 0))
  return ttls.length === 0 ? 0 : Math.min(...ttls)
}

/** Converts an authoritative reply to that of a resolver, which reports a refusal as SERVFAIL. */
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

function resolve(view: ZoneView, query: Query, { cite }: Exchange): Reply {
  try {
    return asResolver(replyTo(view, query, cite))
  } catch {
    // PUT /state can add records that cannot be encoded.
    return emptyReply('SERVFAIL')
  }
}

function answerWire(view: ZoneView, message: Buffer, exchange: Exchange): HttpAnswer {
  const query = readQuery(message)
  if (query.kind === 'ignored') {
    exchange.cite('doh.refused')
    return plainText(400, 'Not a DNS query.')
  }
  exchange.cite('doh.wire')
  if (query.kind === 'unanswerable') {
    exchange.describe('')
    return { status: 200, headers: { 'content-type': wireType }, body: writeRcode(query) }
  }
  exchange.describe(`${query.name} ${query.type}`)
  const reply = resolve(view, query, exchange)
  const { packet } = writeReply(query, reply, maxMessageBytes)
  packet.writeUInt8(packet.readUInt8(3) | recursionAvailable, 3)
  return sent(wireType, reply, packet)
}

/** Types that dns-packet does not know by name (RFC 9460). */
const moreTypes: Readonly<Record<string, number>> = { SVCB: 64, HTTPS: 65 }

/** Builds a query for a name and a type, which is a name or a number. Returns null if it does not know the type. */
function makeQuery(name: string, type: string): Query | null {
  const upper = type.toUpperCase()
  if (name === '' || !/^[A-Z0-9]+$/.test(upper)) return null
  const number = /^\d{1,5}$/.test(type) ? Number(type) : moreTypes[upper]
  const known = (number === undefined ? upper : 'A') as RecordType
  try {
    const message = encode({
      type: 'query',
      id: 0,
      flags: RECURSION_DESIRED,
      questions: [{ name, type: known }],
    })
    if (number !== undefined) message.writeUInt16BE(number, message.length - typeOffsetFromEnd)
    const query = readQuery(message)
    if (query.kind !== 'query') return null
    const isKnown = !query.type.startsWith('UNKNOWN_') || Object.values(moreTypes).includes(number ?? 0)
    return isKnown ? query : null
  } catch {
    return null
  }
}

function answerJson(view: ZoneView, parameters: URLSearchParams, exchange: Exchange): HttpAnswer {
  const query = makeQuery((parameters.get('name') ?? '').replace(/\.$/, ''), parameters.get('type') ?? 'A')
  if (query === null) {
    exchange.cite('doh.refused')
    return plainText(400, 'Set `name`. `type` must be a known record type, as a name or a number.')
  }
  exchange.cite('doh.json')
  const reply = resolve(view, query, exchange)
  return sent(jsonType, reply, toJson(query, reply))
}

function answerWith(view: ZoneView, exchange: Exchange): HttpAnswer {
  const { method, query, headers, body, cite } = exchange
  const parameters = new URLSearchParams(query)
  function refuse(status: number, text: string) {
    cite('doh.refused')
    return plainText(status, text)
  }
  if (method === 'GET') {
    const message = parameters.get('dns')
    if (message !== null) return answerWire(view, Buffer.from(message, 'base64url'), exchange)
    return answerJson(view, parameters, exchange)
  }
  if (method !== 'POST') return refuse(405, 'Method not allowed. Use GET or POST.')
  if (headers['content-type'] !== wireType) return refuse(415, `The Content-Type must be ${wireType}.`)
  return body.kind === 'text' && body.bytes.length <= maxMessageBytes
    ? answerWire(view, body.bytes, exchange)
    : refuse(400, 'Not a DNS query.')
}

/** Paths of public resolvers, accepted on any host. */
const resolverPaths = ['/dns-query', '/resolve']

/** Public resolvers, for clients whose hosts file points here. */
const hosts: Readonly<Record<string, number>> = {
  'cloudflare-dns.com': 0,
  'one.one.one.one': 0,
  'dns.google': 1,
}

function instanceFor(head: RequestHead): number | null {
  if (resolverPaths.includes(head.path)) return instanceByHost(hosts, head) ?? 0
  const numbered = Array.from({ length: resolverCount }, (_, instance) => resolverPath(instance))
  const at = numbered.indexOf(head.path)
  return at < 0 ? null : at
}

/**
 * Returns the service of the DNS over HTTPS resolvers, in wire format (RFC 8484) and JSON.
 * @param viewOf returns the current view of a resolver
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
