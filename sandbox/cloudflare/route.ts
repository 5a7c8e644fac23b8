import type { Clock } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import type { Body } from '../http/server.ts'
import type { LedgerId } from '../ledger.ts'
import type { Databases } from './d1/databases.ts'
import type { Outcome } from './envelope.ts'
import type { DuplicateCode, ErrorForm } from './errors.ts'
import type { Limits } from './limits.ts'
import type { Store, Zone } from './store.ts'
import type { Permission } from './tokens/permission-groups.ts'
import type { Token } from './tokens/token.ts'
import type { WorkersRuntime } from './workers/runtime.ts'
import type { Workers } from './workers/workers.ts'

/** What the API is made over. */
export type ApiParts = {
  readonly store: Store
  readonly workers: Workers
  readonly databases: Databases
  readonly runtime: WorkersRuntime
  readonly clock: Clock
  readonly ids: SeededIds
  /** There is one account, and one user in it. */
  readonly accountId: string
  readonly userId: string
  readonly limits: Limits
  /** What reads see, which for a while may be what was. */
  readable(): Store
  errorForm(): ErrorForm
  duplicateCode(): DuplicateCode
}

/** A request that found its route and may take it. */
export type Call = {
  readonly parts: ApiParts
  readonly token: Token
  /** As sent, without the query. */
  readonly path: string
  /** What stands in the path in the place of each `:identifier` and `*text` of the pattern, by that name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
  cite(id: LedgerId): void
  /** Puts a text in the place of the body in the journal, which keeps no body that may hold code or secrets. */
  describe(body: string): void
}

export type ZoneCall = Call & { readonly zone: Zone }

type Handler<C extends Call> = (call: C) => Outcome | Promise<Outcome>

/**
 * One operation: what it is reached by, what a token must have been granted for it, and what does it.
 *
 * `on` says what the permission must reach: the zone or the account in the path (as `:zone` or `:account`), or the user.
 * `self` is for what a token may ask about itself, or where the operation decides by what it finds.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Behind the version. `:name` is an identifier of 32 hexadecimal digits, `*name` any text without a slash. */
  readonly pattern: `/${string}`
  /**
   * It acts outside of the store and cannot be undone: a fault that does not commit leaves it undone instead, and what
   * is cut, dripped or altered then is an empty success.
   */
  readonly outside?: true
  /** It also takes a body of application/javascript. */
  readonly takesCode?: true
} & (
  | { readonly on: 'zone'; readonly requires: Permission; readonly handle: Handler<ZoneCall> }
  | { readonly on: 'account' | 'user'; readonly requires: Permission; readonly handle: Handler<Call> }
  | { readonly on: 'self'; readonly handle: Handler<Call> }
)

/** A route that a path leads to, and what stands in the places that its pattern leaves open. */
export type Match = { readonly route: Route; readonly params: Readonly<Record<string, string>> }

const decoded = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** The parts of each pattern, which every request is held against. */
const partsOfPatterns = new Map<string, readonly string[]>()

const partsOf = (pattern: string): readonly string[] => {
  const known = partsOfPatterns.get(pattern)
  if (known) return known
  const parts = pattern.slice(1).split('/')
  partsOfPatterns.set(pattern, parts)
  return parts
}

const paramsOf = (pattern: string, segments: readonly string[]): Record<string, string> | undefined => {
  const wanted = partsOf(pattern)
  if (wanted.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    const segment = segments[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part.startsWith('*')) {
      const text = decoded(segment)
      if (text === undefined || text === '') return undefined
      params[part.slice(1)] = text
    } else if (part !== segment) return undefined
  }
  return params
}

/**
 * The routes that a path leads to, one a method. A pattern that spells the path out goes before one that leaves places
 * open, so that `/user/tokens/verify` is no token's id.
 */
export const matching = (routes: readonly Route[], segments: readonly string[]): Match[] => {
  const found = routes.flatMap((route): Match[] => {
    const params = paramsOf(route.pattern, segments)
    return params === undefined ? [] : [{ route, params }]
  })
  const fewestOpen = Math.min(...found.map(({ params }) => Object.keys(params).length))
  return found.filter(({ params }) => Object.keys(params).length === fewestOpen)
}
