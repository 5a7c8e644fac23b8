/** The time of a round. It is an argument so that tests need not wait. */
export interface Clock {
  /** Milliseconds on a monotonic clock. */
  now(): number
  /** Resolves after the time, or as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Uniform in [0, 1), for jitter. */
  random(): number
}

/** The time of the process. It needs nothing of Node, so a Worker can use it too. */
export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        // A watch has one signal for all its waits.
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, signal?.aborted ? 0 : ms)
      signal?.addEventListener('abort', end)
    }),
  random: Math.random,
}

/** The deadline of a round. All its requests and waits share it. */
export type Deadline = Readonly<ReturnType<typeof startDeadline>>

const maxCallMs = 10_000
const callsInRound = 5

/** Starts a deadline now. One call gets a fifth of it, so that three reads, a write and a read-back fit, or `callMs`. */
export function startDeadline(
  totalMs: number,
  clock: Clock,
  callMs: number = Math.min(maxCallMs, totalMs / callsInRound),
) {
  const end = clock.now() + totalMs
  return {
    /** The limit of one request. */
    callMs,
    remainingMs: () => Math.max(0, end - clock.now()),
  }
}
