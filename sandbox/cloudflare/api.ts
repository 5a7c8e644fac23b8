import type { HttpAnswer } from '../http/delivery.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Outcome, success, toAnswer } from './envelope.ts'
import { isRefusal, type Refusal, refuse, refuseRoute, routeMissing } from './errors.ts'
import { type ApiParts, type Call, type Match, matchRoutes, type Route } from './route.ts'
import { routes } from './routes.ts'
import { authenticate, type RouteFamily, refuseContentType } from './tokens/authentication.ts'
import { allows, type PermissionTarget, type Token } from './tokens/token.ts'

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
  // assumed: A request with a method that the sandbox does not have for a path gets 405 with code 10405, and a message that says
  // so. [number and wording from memory of an older error list; the message is our own]
  refuse(405, {
    code: 10405,
    message: `Method not allowed: the sandbox has no route for ${method} ${path}. Cloudflare may have one.`,
  })

function outOfScope(route: Route): Refusal {
  if (route.on === 'user') {
    // observed: A request to manage user tokens gets 403 with code 9109 if the token lacks the permission. [terraform-provider-
    // cloudflare issue 3227, 2024-04]
    return refuse(403, { code: 9109, message: 'Unauthorized to access requested resource' })
  }
  if (route.on === 'zone' && route.requires === 'zoneRead') {
    // observed: A request for a zone gets 403 with code 9109 if the token can read neither the zone nor its DNS. A token that
    // can edit only the DNS of a zone can read the zone. [the dns_cf script of acme.sh, 2026, whose set-up with CF_Zone_ID asks
    // for DNS Edit only and begins with GET /zones/ID; the code in octodns-cloudflare issue 60, 2023-10]
    return refuse(403, { code: 9109, message: 'Unauthorized to access requested resource' })
  }
  return refuse(403, { code: 10000, message: 'Authentication error' })
}

const malformed = (path: string, route: Route): Refusal =>
  route.on === 'account'
    ? // observed: On account routes, a request with a malformed id gets 404 with codes 7003 and 7000. [reports of 2026-09]
      refuseRoute(404, path)
    : // observed: A request with an id that is not 32 hexadecimal digits gets 400 with codes 7003 and 7000. [reports of 2017 to
      // 2019; timothymiller/cloudflare-ddns issue 152]
      refuseRoute(400, path)

function targetOf(route: Route, params: Call['params'], { userId: user }: ApiParts): PermissionTarget {
  switch (route.on) {
    case 'zone':
      return { on: 'zone', zone: params['zone'] ?? '' }
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
    // assumed: With a token for all accounts, a request for an account that does not exist gets 404 with codes 7003 and 7000.
    // [as for malformed ids]
    return refuseRoute(404, path)
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
  const { path, query, headers, body, describe } = exchange
  const { route, params } = match
  // documented: A policy allows or denies permission groups on zones, accounts or the user: one by one, with `*`, or as zones
  // nested in an account. Assumed: deny overrides allow, for exactly the groups it lists. [API reference, API Tokens]
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
    describe,
  }
  if (route.on !== 'zone') return route.handle(call)
  const zone = parts.store.zone(params['zone'] ?? '')
  // assumed: With a token for all zones, a request for a zone that does not exist gets 404 with codes 7003 and 7000. [account
  // routes returned 404 with 7003, 2026-09]
  return zone === null ? refuseRoute(404, path) : route.handle({ ...call, zone })
}

/** Returns the route of a request, or a refusal. */
function findRoute(exchange: Exchange, segments: readonly string[]): Match | Refusal {
  const { path, method, headers, body } = exchange
  const matches = matchRoutes(routes, segments)
  const match = matches.find(({ route }) => route.method === method)
  const contentType = refuseContentType(headers)
  if (contentType) return contentType
  if (body.kind === 'oversized') {
    // assumed: A request with a body over 1 MiB, or over 16 MiB for an upload of code, gets 413. [no limit is published]
    return refuse(413, { code: 413, message: 'Request body is too large' })
  }
  if (matches.length === 0) return routeMissing(method, path)
  return match ?? wrongMethod(method, path)
}

/** Authenticates, counts and routes a request. The headers belong to its response in every case. */
function admit(
  parts: ApiParts,
  exchange: Exchange,
): { readonly headers: Readonly<Record<string, string>>; readonly found: Admitted | Refusal } {
  const { method, path, headers, address } = exchange
  const now = parts.clock.now()
  const segments = segmentsOf(path)
  const token =
    segments === null
      ? routeMissing(method, path)
      : authenticate(headers, parts.store, now, familyOf(segments), address)
  // documented: Every response reports the remaining quota in Ratelimit and the limits in Ratelimit-Policy. The policy names are
  // made up. [documentation, API rate limits, since 2025-09]
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
    { path }: Exchange,
    outcome: Outcome,
    headers: Readonly<Record<string, string>>,
  ): HttpAnswer {
    // observed: Every response has api-version, cf-cache-status and vary. [recordings of dns-lexicon, 2025-08]
    // observed: A zone, and the list of zones, comes with headers that forbid caching and framing. [recordings of dns-lexicon,
    // 2025-08]
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
