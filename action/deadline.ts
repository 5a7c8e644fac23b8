/** Time as the round sees it, injected so that tests need not wait. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number
  /** Resolves after the time, or as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1), for jitter. */
  random(): number
}

/** The one deadline of a round. Every call and wait takes its time from here. */
export interface Deadline {
  readonly totalMs: number
  /** The most that one call may take: a fifth of the round, so that three reads, a write and a read-back fit. */
  readonly callMs: number
  remainingMs(): number
}

const maxCallMs = 10_000
const callsInRound = 5

/** Starts counting now. */
export function startDeadline(totalMs: number, clock: Clock): Deadline {
  const end = clock.now() + totalMs
  return {
    totalMs,
    callMs: Math.min(maxCallMs, totalMs / callsInRound),
    remainingMs: () => Math.max(0, end - clock.now()),
  }
}
