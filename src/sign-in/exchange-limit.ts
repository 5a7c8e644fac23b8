/** Exchanges with the provider that may be in progress at a time. */
export const maxExchanges = 32

/** Limits how much one instance asks of the provider at a time. */
export interface ExchangeLimit {
  /** Takes a place. Returns how to give it back, or null if all are taken. */
  enter(): (() => void) | null
}

/**
 * @param maxMs longest exchange. A place is free again after that, since a runtime can drop a request whose client left
 * @param now Unix time in milliseconds
 */
export function createExchangeLimit(maxMs: number, now: () => number): ExchangeLimit {
  const ends = new Map<symbol, number>()
  return {
    enter() {
      for (const [place, end] of ends) if (end <= now()) ends.delete(place)
      if (ends.size >= maxExchanges) return null
      const place = Symbol('exchange')
      ends.set(place, now() + maxMs)
      return () => void ends.delete(place)
    },
  }
}
