/** Returns the result of a key's running or recent work; else starts `work`. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>

/** Pages that fire a callback twice do so within moments (React's StrictMode, a double click, a restored tab). */
const rememberMs = 10_000
const maxRemembered = 1000

/**
 * Runs work once for all callers that ask for the same key at about the same time, and remembers recent results in this instance's
 * memory. Anyone with the key gets the result, so a key must contain a
 * secret of the browser.
 * @param now Unix time in milliseconds
 * @param lasts whether to remember a result; concurrent callers share every result
 */
export function createSingleFlight<T>(now: () => number, lasts: (result: T) => boolean): SingleFlight<T> {
  const flights = new Map<string, { readonly result: Promise<T>; until: number }>()

  function forget(): void {
    const time = now()
    for (const [key, { until }] of flights) {
      if (until > time && flights.size <= maxRemembered) break
      flights.delete(key)
    }
  }

  return async (key, work) => {
    forget()
    const known = flights.get(key)
    if (known) return known.result
    const flight = { result: work(), until: Number.POSITIVE_INFINITY }
    flights.set(key, flight)
    function land(result: T) {
      if (!lasts(result)) {
        flights.delete(key)
        return
      }
      flight.until = now() + rememberMs
      // Moves it to the end: the map is in the order in which results expire.
      if (flights.delete(key)) flights.set(key, flight)
    }
    flight.result.then(land, () => flights.delete(key))
    return flight.result
  }
}
