import type { Clock } from '../deadline.ts'
import type { HttpOutcome } from '../exchange.ts'
import type { Problem } from '../problem.ts'

/**
 * Which other requests a failure says something about: all of them, those to the same zone, those to the same record, or
 * none.
 */
export type Scope = 'service' | 'zone' | 'record' | 'request'

type Method = 'read' | 'write'

const maxFailuresInRow = { service: 4, zone: 4, record: 10 } as const

/**
 * Creates what remembers failures that other requests would only repeat, such as a rejected token or a service that is
 * down, so that they cost a request or two instead of one per name. A failure stops only its own zone, and all zones only while
 * nothing has worked in this round. A zone is null while its ID is looked up.
 */
export function createBreaker() {
  let service: Problem | null = null
  const zones = new Map<string | null, Problem>()
  /** The zones of the methods and zones that have worked. */
  const working = new Map<string, string | null>()
  const failuresInRow = new Map<string, number>()
  const keyOf = (method: Method, zoneId: string | null) => `${method} ${zoneId}`
  /** Returns why nothing more is sent to a zone, or null while requests are sent. */
  const openFor = (zoneId: string | null) =>
    (working.size === 0 ? service : null) ?? zones.get(zoneId) ?? null
  return {
    openFor,
    /** Returns whether a request to the records of another zone has worked. */
    worksElsewhere: (zoneId: string | null) =>
      [...working.values()].some(other => other !== null && other !== zoneId),
    /** Records a read that was answered, or a write that was confirmed. */
    succeeded(method: Method, zoneId: string | null): void {
      working.set(keyOf(method, zoneId), zoneId)
      failuresInRow.delete(keyOf(method, zoneId))
    },
    /**
     * Records a failure. Before the first success of this method in the zone, one opens the breaker. After it, several in
     * a row do, because many writes can meet a temporary 403 (octodns, pull request 121). A failure that concerns its own
     * record always takes more, because a record can fail for ever while all others work. A look-up that fails says nothing
     * about other names, unless the token is rejected.
     */
    failed(method: Method, zoneId: string | null, { reason }: Problem, scope: Scope): void {
      if (scope === 'request' || openFor(zoneId)) return
      if (zoneId === null && reason !== 'token-rejected') return
      const key = keyOf(method, zoneId)
      const failures = (failuresInRow.get(key) ?? 0) + 1
      failuresInRow.set(key, failures)
      const isEnough = scope !== 'record' && !working.has(key)
      if (!isEnough && failures < maxFailuresInRow[scope]) return
      const which = isEnough ? 'another name just' : `${failures} names in a row`
      const untried: Problem = {
        // Records that are not tried stay as they are.
        reason: reason === 'write-unconfirmed' ? 'service-unavailable' : reason,
        message: `Not tried, because ${which} failed with ${reason}.`,
      }
      zones.set(zoneId, untried)
      // Until something works: the answers of other zones may still be on their way.
      if (scope === 'service') service = untried
    },
  }
}

/** Creates a gate: until the first work has ended, all other work waits for it, so that a failure of all happens once. */
export function createGate() {
  let first: Promise<unknown> | null = null
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (first !== null) await first
    const result = work()
    first ??= result.catch(() => {})
    return result
  }
}

/**
 * Creates what keeps requests below the rate limit of Cloudflare, and knows no limit yet. Exceeding it blocks the whole
 * account for five minutes.
 */
export function createPace(clock: Pick<Clock, 'now'>) {
  let underWay = 0
  let blockedUntilMs = Number.NEGATIVE_INFINITY
  const block = (ms: number) => {
    blockedUntilMs = Math.max(blockedUntilMs, clock.now() + ms)
  }
  return {
    /** Returns how many milliseconds to wait before the next request. */
    waitMs: () => Math.max(0, blockedUntilMs - clock.now()),
    /** Counts a request until its outcome arrives, and reads the limits from it. */
    async track(sent: Promise<HttpOutcome>): Promise<HttpOutcome> {
      underWay++
      const outcome = await sent.finally(() => underWay--)
      if (outcome.kind === 'failure') return outcome
      if (outcome.status === 429) block(outcome.retryAfterMs ?? 0)
      // Requests under way may not have been counted yet.
      for (const { remaining, resetMs } of outcome.rateLimits) if (remaining <= underWay) block(resetMs)
      return outcome
    },
  }
}
