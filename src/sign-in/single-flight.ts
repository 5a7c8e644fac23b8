/** Work that is done once for everybody who asks for the same thing at about the same time. */
export interface SingleFlight<T> {
  /** The result of the work under way for this key, or just finished; else of `work`, which is started. */
  once(key: string, work: () => Promise<T>): Promise<T>
}

/** A page that fires its callback twice does so within moments (React's StrictMode, a double click, a restored tab). */
const rememberMs = 10_000
const maxRemembered = 1000

/**
 * Remembers results in this instance's memory for a moment after they are there. The key has to hold a secret of the
 * browser that asks, since whoever has the key gets the result.
 */
export function createSingleFlight<T>(now: () => number = Date.now): SingleFlight<T> {
  const running = new Map<string, { readonly result: Promise<T>; until: number }>()

  function forget(): void {
    const time = now()
    for (const [key, { until }] of running) {
      if (until > time && running.size <= maxRemembered) break
      running.delete(key)
    }
  }

  return {
    async once(key, work) {
      forget()
      const known = running.get(key)
      if (known) return known.result
      const entry = { result: work(), until: Number.POSITIVE_INFINITY }
      running.set(key, entry)
      const settle = () => {
        entry.until = now() + rememberMs
        // Back to the end: entries are in the order in which they are to be forgotten.
        if (running.delete(key)) running.set(key, entry)
      }
      entry.result.then(settle, () => running.delete(key))
      return entry.result
    },
  }
}
