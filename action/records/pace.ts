import type { Clock } from '../deadline.ts'
import type { HttpOutcome } from '../exchange.ts'

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
