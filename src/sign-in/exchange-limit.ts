/** Maximum exchanges with Entra in progress at a time. */
export const maxExchanges = 32

/** Takes a slot of one instance's exchanges with Entra. Returns the function that releases it, or null if none is free. */
export type EnterExchange = () => (() => void) | null

/**
 * Creates the limit of concurrent exchanges.
 * @param maxMs maximum time of an exchange. Its slot is free afterwards: a runtime can drop a request whose client left
 * @param now milliseconds of a clock that is never set back
 */
export function createExchangeLimit(maxMs: number, now: () => number): EnterExchange {
  const ends = new Map<symbol, number>()
  return () => {
    for (const [slot, end] of ends) if (end <= now()) ends.delete(slot)
    if (ends.size >= maxExchanges) return null
    const slot = Symbol('exchange')
    ends.set(slot, now() + maxMs)
    return () => void ends.delete(slot)
  }
}
