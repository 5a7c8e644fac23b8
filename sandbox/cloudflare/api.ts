import type { HttpAnswer } from '../http/delivery.ts'
import type { Exchange } from '../http/exchange.ts'
import { parseObject } from '../http/validation.ts'
import { refusalAnswer, toAnswer } from './envelope.ts'
import { Refusal, refuse, refuseRoute, routeMissing } from './errors.ts'
import { type ApiParts, type Call, type Match, matchRoute, type Route } from './route.ts'
import { routes } from './routes.ts'
import { authenticate, type RouteFamily } from './tokens/authentication.ts'
import { allows, type Token } from './tokens/token.ts'

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

/** Checks the ids and permissions of a request: malformed ids first, then scope, then existence. */
function checkTarget(parts: ApiParts, token: Token, path: string, match: Match): void {
  const { route, params } = match
  const { zone, account, ...others } = params
  const owner = zone ?? account
  if (owner !== undefined && !idFormat.test(owner)) throw malformed(path, route)
  if (route.on !== 'self') {
    const sufficient = route.on === 'zone' && route.or ? [route.requires, route.or] : [route.requires]
    const target = [route.on, owner ?? parts.userId] as const
    if (!sufficient.some(permission => allows(token, permission, target))) throw outOfScope(route)
  }
  if (account !== undefined && account !== parts.accountId) {
    // assumed: With a token for all accounts, a request for an account that does not exist gets 404 with codes 7003 and 7000.
    // [as for malformed ids]
    throw refuseRoute(404, path)
  }
  const ids = Object.keys(others).filter(name => route.pattern.includes(`:${name}`))
  if (ids.some(name => !idFormat.test(others[name] ?? ''))) throw malformed(path, route)
}

/** An authenticated request with its route. */
interface Admitted {
  readonly token: Token
  readonly match: Match
}

/** Runs the handler of a request if its token allows it. */
function run(parts: ApiParts, exchange: Exchange, { token, match }: Admitted) {
  const { path, query, headers, body } = exchange
  const { route, params } = match
  // documented: A policy allows permission groups on zones, accounts or the user: one by one, or with `*`. [API reference, API
  // Tokens]
  checkTarget(parts, token, path, match)
  const call: Call = {
    parts,
    token,
    path,
    params,
    query: new URLSearchParams(query),
    headers,
    body,
    sent: parseObject(body.toString()),
  }
  if (route.on !== 'zone') return route.handle(call)
  const zone = parts.store.zone(params['zone'] ?? '')
  // assumed: With a token for all zones, a request for a zone that does not exist gets 404 with codes 7003 and 7000. [account
  // routes returned 404 with 7003, 2026-09]
  if (zone === null) throw refuseRoute(404, path)
  return route.handle({ ...call, zone })
}

/** Authenticates and routes a request. */
function admit(parts: ApiParts, exchange: Exchange): Admitted {
  const { method, path, headers, address } = exchange
  const segments = segmentsOf(path)
  if (segments === null) throw routeMissing(method, path)
  const token = authenticate(headers, parts.store, parts.clock.now(), familyOf(segments), address)
  const match = matchRoute(routes, method, segments)
  if (match === undefined) throw routeMissing(method, path)
  return { token, match }
}

/** Returns the handler of the DNS service's HTTP API. */
export const cloudflareApi =
  (parts: ApiParts) =>
  async (exchange: Exchange): Promise<HttpAnswer> => {
    try {
      return toAnswer(await run(parts, exchange, admit(parts, exchange)))
    } catch (error) {
      if (error instanceof Refusal) return refusalAnswer(error)
      throw error
    }
  }
