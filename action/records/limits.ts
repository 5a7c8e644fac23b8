import type { HttpOutcome } from '../../lib/exchange.ts'
import type { Clock } from '../deadline.ts'
import type { Problem } from '../problem.ts'

/**
 * Creates a memory of whether Cloudflare rejected the token, unless it has worked in this round, so that this costs one request
 * instead of one per name.
 */
export function createTokenCheck() {
  let works = false
  let rejection: Problem | null = null
  return {
    /** Returns why nothing more is sent, or null while requests are sent. */
    rejection: () => (works ? null : rejection),
    accepted(): void {
      works = true
    },
    rejected({ reason }: Problem): void {
      rejection ??= { reason, message: `Not tried, because another name just failed with ${reason}.` }
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
 * Creates a pace that keeps requests below Cloudflare's rate limit. It knows no limit yet. Exceeding it blocks the whole
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
