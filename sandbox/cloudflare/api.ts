import type { HttpAnswer } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Outcome, success, toAnswer } from './envelope.ts'
import { isRefusal, type Refusal, refuse, refuseRoute, routeMissing } from './errors.ts'
import { type ApiParts, type Call, type Match, matchRoutes, type Route } from './route.ts'
import { routes } from './routes.ts'
import { authenticate, isCode, type RouteFamily, refuseContentType } from './tokens/authentication.ts'
import { allows, isAdvanced, type PermissionTarget, type Token } from './tokens/token.ts'

export type { ApiParts } from './route.ts'

const prefix = '/client/v4/'
const idFormat = /^[0-9a-f]{32}$/

/** Returns the segments of a path below the version. Ignores a trailing slash, which ddclient sends. */
const segmentsOf = (path: string): string[] | null =>
  path.startsWith(prefix) ? path.slice(prefix.length).replace(/\/$/, '').split('/') : null

function familyOf(segments: readonly string[]): RouteFamily {
  if (segments[0] === 'zones') return 'zones'
  if (/^(user|accounts\/[^/]*)\/tokens\/verify$/.test(segments.join('/'))) return 'verify'
  return segments[0] === 'accounts' ? 'accounts' : 'other'
}

const wrongMethod = (method: string, path: string): Refusal =>
  refuse(405, 'request.method', {
    code: 10405,
    message: `Method not allowed: the sandbox has no route for ${method} ${path}. Cloudflare may have one.`,
  })

function outOfScope(route: Route): Refusal {
  if (route.on === 'user') {
    return refuse(403, 'scope.user', { code: 9109, message: 'Unauthorized to access requested resource' })
  }
  if (route.on === 'zone' && route.requires === 'zoneRead') {
    return refuse(403, 'scope.zones', { code: 9109, message: 'Unauthorized to access requested resource' })
  }
  const cites = route.on === 'account' ? 'scope.account' : 'scope.records'
  return refuse(403, cites, { code: 10000, message: 'Authentication error' })
}

const malformed = (path: string, route: Route): Refusal =>
  route.on === 'account'
    ? refuseRoute(404, path, 'route.malformed-id.account')
    : refuseRoute(400, path, 'route.malformed-id')

function targetOf(route: Route, params: Call['params'], parts: ApiParts): PermissionTarget {
  const { accountId: account, userId: user } = parts
  switch (route.on) {
    case 'zone':
      return { on: 'zone', account, zone: params['zone'] ?? '' }
    case 'account':
      return { on: 'account', account: params['account'] ?? '' }
    default:
      return { on: 'user', user }
  }
}

/** Checks the ids and permissions of a request: malformed ids first, then scope, then existence. */
function refuseTarget(parts: ApiParts, token: Token, path: string, match: Match): Refusal | null {
  const { route, params } = match
  const { zone, account, ...others } = params
  const owner = zone ?? account
  if (owner !== undefined && !idFormat.test(owner)) return malformed(path, route)
  if (route.on !== 'self') {
    const sufficient = route.on === 'zone' && route.or ? [route.requires, route.or] : [route.requires]
    const target = targetOf(route, params, parts)
    if (!sufficient.some(permission => allows(token, permission, target))) return outOfScope(route)
  }
  if (account !== undefined && account !== parts.accountId) {
    return refuseRoute(404, path, 'route.unknown-account')
  }
  const ids = Object.keys(others).filter(name => route.pattern.includes(`:${name}`))
  return ids.some(name => !idFormat.test(others[name] ?? '')) ? malformed(path, route) : null
}

/** An authenticated request with its route. */
interface Admitted {
  readonly token: Token
  readonly match: Match
}

/** Runs the handler of a request if its token allows it. */
function run(parts: ApiParts, exchange: Exchange, { token, match }: Admitted) {
  const { path, query, headers, body, cite, describe } = exchange
  const { route, params } = match
  if (route.on !== 'self' && token.policies.some(isAdvanced)) cite('scope.policies')
  const refusal = refuseTarget(parts, token, path, match)
  if (refusal) return refusal
  const call: Call = {
    parts,
    token,
    path,
    params,
    query: new URLSearchParams(query),
    headers,
    body,
    cite,
    describe,
  }
  if (route.on !== 'zone') return route.handle(call)
  const zone = parts.store.zone(params['zone'] ?? '')
  return zone === null ? refuseRoute(404, path, 'route.unknown-zone') : route.handle({ ...call, zone })
}

/** Returns the route of a request, or a refusal. */
function findRoute(exchange: Exchange, segments: readonly string[]): Match | Refusal {
  const { path, method, headers, body } = exchange
  const matches = matchRoutes(routes, segments)
  const match = matches.find(({ route }) => route.method === method)
  const contentType = match?.route.takesCode === true && isCode(headers) ? null : refuseContentType(headers)
  if (contentType) return contentType
  if (body.kind === 'oversized') {
    return refuse(413, 'request.oversized', { code: 413, message: 'Request body is too large' })
  }
  if (matches.length === 0) return routeMissing(method, path)
  return match ?? wrongMethod(method, path)
}

/** Authenticates, counts and routes a request. The headers belong to its response in every case. */
function admit(
  parts: ApiParts,
  exchange: Exchange,
): { readonly headers: Readonly<Record<string, string>>; readonly found: Admitted | Refusal } {
  const { method, path, headers, address, cite } = exchange
  const now = parts.clock.now()
  const segments = segmentsOf(path)
  const token =
    segments === null
      ? routeMissing(method, path)
      : authenticate(headers, parts.store, now, familyOf(segments), address)
  cite('limits.headers')
  const allowance = parts.limits.take(isRefusal(token) ? null : token.owner, address, now)
  function found(): Admitted | Refusal {
    if (allowance.refusal) return allowance.refusal
    if (isRefusal(token)) return token
    const match = findRoute(exchange, segments ?? [])
    return isRefusal(match) ? match : { token, match }
  }
  return { headers: allowance.headers, found: found() }
}

/** The headers of every response, and those of zones, as dns-lexicon recorded them in August 2025. */
const common = { 'api-version': '2025-08-27', 'cf-cache-status': 'DYNAMIC', vary: 'accept-encoding' }
const isZones = /^\/client\/v4\/zones(\/[^/]+)?\/?$/
const ofZones = {
  'cache-control': 'no-store, no-cache, must-revalidate, post-check=0, pre-check=0',
  expires: 'Sun, 25 Jan 1981 05:00:00 GMT',
  pragma: 'no-cache',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
}

/** Returns the handlers of the DNS service's HTTP API. */
export function cloudflareApi(parts: ApiParts): Required<Pick<Service, 'answer' | 'dryRun'>> {
  function finish(
    { cite, path }: Exchange,
    outcome: Outcome,
    headers: Readonly<Record<string, string>>,
  ): HttpAnswer {
    if (isRefusal(outcome)) outcome.cites.forEach(cite)
    const inChain = parts.errorForm() === 'chained' && isRefusal(outcome) && outcome.ofRecord
    cite(inChain ? 'errors.chained' : 'envelope')
    cite('headers')
    if (isZones.test(path)) cite('zones.headers')
    const answer = toAnswer(outcome, parts.errorForm())
    const own = isZones.test(path) ? { ...common, ...ofZones } : common
    return { ...answer, headers: { ...own, ...answer.headers, ...headers } }
  }
  return {
    answer: async exchange => {
      const { headers, found } = admit(parts, exchange)
      return finish(exchange, isRefusal(found) ? found : await run(parts, exchange, found), headers)
    },
    dryRun: async exchange => {
      const { headers, found } = admit(parts, exchange)
      if (isRefusal(found)) return finish(exchange, found, headers)
      if (found.match.route.outside) {
        const refusal = refuseTarget(parts, found.token, exchange.path, found.match)
        return finish(exchange, refusal ?? success(null), headers)
      }
      return finish(exchange, await parts.store.dryRun(() => run(parts, exchange, found)), headers)
    },
  }
}
