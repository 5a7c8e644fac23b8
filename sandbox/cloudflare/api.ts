import type { Clock } from '../clock.ts'
import type { Exchange, Service } from '../front.ts'
import type { Generator } from '../seed.ts'
import { authenticate, type RouteFamily, refuseContentType } from './authentication.ts'
import { type Outcome, toAnswer } from './envelope.ts'
import { type ErrorForm, type Refusal, refuse, refuseRoute } from './errors.ts'
import {
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
  patchRecord,
  type RecordRequest,
  replaceRecord,
} from './record-resource.ts'
import type { Store, Zone } from './store.ts'
import { allows, type Permission, type Token } from './token.ts'
import { getZone, listZones } from './zone-resource.ts'

const prefix = '/client/v4/'
const identifier = /^[0-9a-f]{32}$/

export type ApiParts = {
  readonly store: Store
  readonly clock: Clock
  readonly generator: Generator
  readonly accountId: string
  errorForm(): ErrorForm
}

/** The segments behind the version; a slash at the end makes no difference (ddclient sends one). */
const segmentsOf = (path: string): string[] | undefined =>
  path.startsWith(prefix) ? path.slice(prefix.length).replace(/\/$/, '').split('/') : undefined

const familyOf = (segments: readonly string[]): RouteFamily => {
  if (segments[0] === 'zones') return 'zones'
  return segments.join('/') === 'user/tokens/verify' ? 'verify' : 'other'
}

const wrongMethod = refuse(405, 'request.method', { code: 10405, message: 'Method not allowed' })

const outOfScope: Readonly<Record<Permission, Refusal>> = {
  dnsRead: refuse(403, 'scope.records', { code: 10000, message: 'Authentication error' }),
  dnsWrite: refuse(403, 'scope.records', { code: 10000, message: 'Authentication error' }),
  zoneRead: refuse(403, 'scope.zones', { code: 9109, message: 'Unauthorized to access requested resource' }),
}

const verify = (token: Token, { cite }: Exchange): Outcome => {
  cite('tokens.verify')
  return {
    ok: true,
    result: {
      id: token.id,
      status: token.status,
      ...(token.expiresOn === undefined ? {} : { expires_on: token.expiresOn }),
      ...(token.notBefore === undefined ? {} : { not_before: token.notBefore }),
    },
    messages: [{ code: 10000, message: 'This API Token is valid and active', type: null }],
  }
}

/** Finds a zone for a token that may do this to it; what is malformed fails before what is out of scope. */
const reachZone = (
  { store }: ApiParts,
  token: Token,
  zoneId: string,
  permission: Permission,
  path: string,
): Zone | Refusal => {
  if (!identifier.test(zoneId)) return refuseRoute(400, path, 'route.malformed-id')
  if (!allows(token, permission, zoneId)) return outOfScope[permission]
  return store.zone(zoneId) ?? refuseRoute(404, path, 'route.unknown-zone')
}

const onRecords = (
  parts: ApiParts,
  token: Token,
  exchange: Exchange,
  zoneId: string,
  recordId: string | undefined,
): Outcome => {
  const { method, path, query, body, cite } = exchange
  const operations: Readonly<Record<string, (request: RecordRequest) => Outcome>> =
    recordId === undefined
      ? { GET: listRecords, POST: createRecord }
      : {
          GET: request => getRecord(request, recordId),
          PUT: request => replaceRecord(request, recordId),
          PATCH: request => patchRecord(request, recordId),
          DELETE: request => deleteRecord(request, recordId),
        }
  const operation = Object.hasOwn(operations, method) ? operations[method] : undefined
  if (operation === undefined) return wrongMethod
  const zone = reachZone(parts, token, zoneId, method === 'GET' ? 'dnsRead' : 'dnsWrite', path)
  if ('ok' in zone) return zone
  if (recordId !== undefined && !identifier.test(recordId)) {
    return refuseRoute(400, path, 'route.malformed-id')
  }
  const { store, clock, generator } = parts
  return operation({ store, clock, generator, zone, query: new URLSearchParams(query), body, cite })
}

const route = (parts: ApiParts, token: Token, exchange: Exchange, segments: readonly string[]): Outcome => {
  const { method, path, query, cite } = exchange
  const [collection, zoneId, part, recordId, ...rest] = segments
  const getOnly = (get: () => Outcome): Outcome => (method === 'GET' ? get() : wrongMethod)
  if (familyOf(segments) === 'verify') return getOnly(() => verify(token, exchange))
  if (collection !== 'zones' || rest.length > 0) return refuseRoute(404, path, 'route.unknown')
  if (zoneId === undefined) {
    const parameters = new URLSearchParams(query)
    return getOnly(() => listZones(parts.store, token, parameters, parts.accountId, cite))
  }
  if (part === 'dns_records') return onRecords(parts, token, exchange, zoneId, recordId)
  if (part !== undefined) return refuseRoute(404, path, 'route.unknown')
  return getOnly(() => {
    const zone = reachZone(parts, token, zoneId, 'zoneRead', path)
    return 'ok' in zone ? zone : getZone(zone, parts.accountId, cite)
  })
}

const decide = (parts: ApiParts, exchange: Exchange): Outcome => {
  const segments = segmentsOf(exchange.path)
  if (segments === undefined) return refuseRoute(404, exchange.path, 'route.unknown')
  const token = authenticate(exchange.headers, parts.store, parts.clock.now(), familyOf(segments))
  if ('ok' in token) return token
  const contentType = refuseContentType(exchange.headers)
  if (contentType) return contentType
  if (exchange.body.kind === 'oversized') {
    return refuse(413, 'request.oversized', { code: 413, message: 'Request body is too large' })
  }
  return route(parts, token, exchange, segments)
}

/** The DNS service's HTTP API over a store. */
export const cloudflareService = (parts: ApiParts): Service => {
  const answer: Service['answer'] = exchange => {
    const outcome = decide(parts, exchange)
    if (!outcome.ok) outcome.cites.forEach(exchange.cite)
    exchange.cite(
      parts.errorForm() === 'chained' && !outcome.ok && outcome.ofRecord ? 'errors.chained' : 'envelope',
    )
    return toAnswer(outcome, parts.errorForm())
  }
  return { name: 'cloudflare', answer, rehearse: exchange => parts.store.rehearse(() => answer(exchange)) }
}
