import type { Clock } from '../deadline.ts'
import type { HttpOutcome } from '../exchange.ts'
import type { Problem } from '../problem.ts'

/**
 * Which other requests a failure says something about: all of them, those to the same zone, those to the same record, or
 * none.
 */
export type Scope = 'service' | 'zone' | 'record' | 'request'

type Method = 'read' | 'write'

/**
 * Remembers failures that other requests would only repeat, such as a rejected token or a service that is down, so that
 * they cost a request or two instead of one per name. A failure stops only its own zone, unless nothing has worked in
 * this round.
 */
export interface Breaker {
  /** Returns why nothing more is sent to a zone, or null while requests are sent. A zone is null while its ID is looked up. */
  openFor(zoneId: string | null): Problem | null
  /** Returns whether a request to another zone has worked. */
  worksElsewhere(zoneId: string): boolean
  /** Records a read that was answered, or a write that was confirmed. */
  succeeded(method: Method, zoneId: string | null): void
  /**
   * Records a failure. Before the first success of this method in the zone, one opens the breaker. After it, several in a
   * row do, because many writes can meet a temporary 403 (octodns, pull request 121). A failure that concerns its own
   * record always takes more, because a record can fail for ever while all others work.
   */
  failed(method: Method, zoneId: string | null, problem: Problem, scope: Scope): void
}

const maxFailuresInRow = { service: 4, zone: 4, record: 10 } as const

/** Creates a breaker that is closed. */
export function createBreaker(): Breaker {
  let service: Problem | null = null
  const zones = new Map<string | null, Problem>()
  /** Methods and zones that have worked. */
  const working = new Set<string>()
  const failuresInRow = new Map<string, number>()
  const keyOf = (method: Method, zoneId: string | null) => `${method} ${zoneId}`
  const openFor = (zoneId: string | null) => service ?? zones.get(zoneId) ?? null
  return {
    openFor,
    worksElsewhere: zoneId => [...working].some(key => !key.endsWith(` ${zoneId}`)),
    succeeded(method, zoneId) {
      working.add(keyOf(method, zoneId))
      failuresInRow.delete(keyOf(method, zoneId))
    },
    failed(method, zoneId, { reason }, scope) {
      if (scope === 'request' || openFor(zoneId)) return
      const key = keyOf(method, zoneId)
      const failures = (failuresInRow.get(key) ?? 0) + 1
      failuresInRow.set(key, failures)
      const isEnough = scope !== 'record' && !working.has(key)
      if (!isEnough && failures < maxFailuresInRow[scope]) return
      const which = isEnough ? 'another name just' : `${failures} names in a row`
      const message = `Not tried, because ${which} failed with ${reason}.`
      // Records that are not tried stay as they are.
      const untried: Problem = {
        reason: reason === 'write-unconfirmed' ? 'service-unavailable' : reason,
        message,
      }
      if (scope === 'service' && working.size === 0) service = untried
      else zones.set(zoneId, untried)
    },
  }
}

/** Runs work at once, except that until the first work has ended, all other work waits for it. */
export type Gate = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Creates a gate, so that a failure that all work would share happens once. */
export function createGate(): Gate {
  let first: Promise<unknown> | null = null
  return async work => {
    if (first !== null) {
      await first
      return work()
    }
    const result = work()
    first = result.catch(() => {})
    return result
  }
}

/** Keeps requests below the rate limit of Cloudflare. Exceeding it blocks the whole account for five minutes. */
export interface Pace {
  /** Returns how many milliseconds to wait before the next request. */
  waitMs(): number
  /** Counts a request until its outcome arrives, and reads the limits from it. */
  track(outcome: Promise<HttpOutcome>): Promise<HttpOutcome>
}

/** Creates a pace that knows no limit yet. */
export function createPace(clock: Pick<Clock, 'now'>): Pace {
  let underWay = 0
  let blockedUntilMs = Number.NEGATIVE_INFINITY
  const block = (ms: number) => {
    blockedUntilMs = Math.max(blockedUntilMs, clock.now() + ms)
  }
  return {
    waitMs: () => Math.max(0, blockedUntilMs - clock.now()),
    async track(sent) {
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
