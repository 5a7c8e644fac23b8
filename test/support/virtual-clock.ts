import type { Clock } from '../../action/deadline.ts'

/** Creates a clock on which only sleeps and `pass` take time. A sleep whose signal is aborted takes none. */
export function virtualClock(random = 0.5) {
  let nowMs = 0
  const sleptMs: number[] = []
  const clock: Clock = {
    now: () => nowMs,
    sleep: async (ms, signal) => {
      if (signal?.aborted) return
      sleptMs.push(ms)
      nowMs += ms
    },
    random: () => random,
  }
  function pass(ms: number): void {
    nowMs += ms
  }
  return { clock, pass, sleptMs }
}
