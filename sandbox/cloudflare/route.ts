import type { Clock } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import type { JsonObject } from '../http/validation.ts'
import type { Outcome } from './envelope.ts'
import type { Store, Zone } from './store.ts'
import type { Permission } from './tokens/permission-groups.ts'
import type { Token } from './tokens/token.ts'
import type { WorkersRuntime } from './workers/runtime.ts'
import type { Workers } from './workers/workers.ts'

/** The state and services behind the API. */
export interface ApiParts {
  readonly store: Store
  readonly workers: Workers
  readonly runtime: WorkersRuntime
  readonly clock: Clock
  readonly ids: SeededIds
  /** The only account. */
  readonly accountId: string
  /** The only user. */
  readonly userId: string
}

/** A request that matched a route and is authorized. */
export interface Call {
  readonly parts: ApiParts
  readonly token: Token
  /** The path as sent, without the query. */
  readonly path: string
  /** The values of each `:id` and `*text` in the pattern, by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty if there is none. */
  readonly body: Buffer
  /** The body as a JSON object. Null if it is anything else. */
  readonly sent: JsonObject | null
}

/** A request to an existing zone that the token can access. */
export type ZoneCall = Call & { readonly zone: Zone }

export type Handler<C extends Call> = (call: C) => Outcome | Promise<Outcome>

/**
 * An operation: its path, the permission it requires, and its handler.
 *
 * `on` is the resource of the permission: the zone or account in the path (`:zone` or `:account`), or the user. Routes on
 * `self` require no permission: they concern the token itself, or their handler checks permissions.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below the version. `:name` is an id of 32 hexadecimal digits, `*name` any text without a slash. */
  readonly pattern: `/${string}`
} & (
  | {
      readonly on: 'zone'
      readonly requires: Permission
      /** Another permission that is enough. */
      readonly or?: Permission
      readonly handle: Handler<ZoneCall>
    }
  | { readonly on: 'account' | 'user'; readonly requires: Permission; readonly handle: Handler<Call> }
  | { readonly on: 'self'; readonly handle: Handler<Call> }
)

/** A route that matches a path, with the values of its parameters. */
export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}

function paramsOf(pattern: string, segments: readonly string[]): Record<string, string> | null {
  const wanted = pattern.slice(1).split('/')
  if (wanted.length !== segments.length) return null
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const segment = segments[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part.startsWith('*')) {
      const text = decoded(segment)
      if (text === null || text === '') return null
      params[part.slice(1)] = text
    } else if (part !== segment) return null
  }
  return params
}

/** Returns the first route with a method that matches a path. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  segments: readonly string[],
): Match | undefined {
  for (const route of routes) {
    const params = route.method === method && paramsOf(route.pattern, segments)
    if (params) return { route, params }
  }
  return undefined
}
