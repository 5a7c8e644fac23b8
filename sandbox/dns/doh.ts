import type { Store } from '../cloudflare/store.ts'
import { type HttpAnswer, plainText } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { RequestHead } from '../http/exchange.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'
import { toJson, typeNumbers } from './json.ts'
import { lookup } from './lookup.ts'
import { emptyReply, type Reply } from './wire.ts'

/** One resolver for each of two operators, for clients that require both to agree. */
export const resolverCount = 2

/** Returns the path of a resolver, numbered from 0. */
export const resolverPath = (instance: number): string => `/doh/${instance + 1}/dns-query`

const jsonType = 'application/dns-json'

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

const sent = (type: string, reply: Reply, body: string): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': `max-age=${freshness(reply)}` },
  body,
})

function resolve(store: Store, name: string, type: string): Reply {
  try {
    return asResolver(lookup(store, name, type))
  } catch {
    // Tests can add records that cannot be served.
    return emptyReply('SERVFAIL')
  }
}

function answerJson(store: Store, parameters: URLSearchParams): HttpAnswer {
  const name = (parameters.get('name') ?? '').replace(/\.$/, '')
  const type = (parameters.get('type') ?? 'A').toUpperCase()
  if (name === '' || !Object.hasOwn(typeNumbers, type)) {
    // documented: A request with a malformed message or an unknown type gets 400; with a wrong media type, 415; with a wrong
    // method, 405. [RFC 8484 section 4; documentation of 1.1.1.1 for types]
    return plainText(400, 'Set `name`. `type` must be a known record type.')
  }
  // documented: GET with `name`, `type` and Accept: application/dns-json gets JSON. A query for
  // a name in another zone gets Status 2. [documentation of 1.1.1.1, DNS over HTTPS with JSON]
  const reply = resolve(store, name, type)
  return sent(jsonType, reply, toJson(name, type, reply))
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

/** Returns the service of the DNS over HTTPS resolvers, in JSON. */
export const resolverService = (store: Store): Service => ({
  name: 'doh',
  claim: instanceFor,
  answer: ({ method, query }) =>
    method === 'GET'
      ? answerJson(store, new URLSearchParams(query))
      : plainText(405, 'Method not allowed. Use GET.'),
})
