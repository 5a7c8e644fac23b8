/** The time that record timestamps and token lifetimes go by: the machine's own, moved by what `control` asks for. */
export class Clock {
  #offsetMs = 0

  /** Milliseconds since 1970, with a fraction: the service's timestamps have microseconds. */
  now(): number {
    return performance.timeOrigin + performance.now() + this.#offsetMs
  }

  /** Makes it `instantMs` (milliseconds since 1970) now; time goes on from there. */
  set(instantMs: number): void {
    this.#offsetMs += instantMs - this.now()
  }

  /** Moves the clock by `ms`, backwards when negative. */
  advance(ms: number): void {
    this.#offsetMs += ms
  }
}

/**
 * RFC 3339 as the DNS service writes it: UTC, microseconds, trailing zeros dropped, no fraction on a whole second.
 * @param instantMs milliseconds since 1970, in the years 1970 to 9999
 */
export function formatInstant(instantMs: number): string {
  const micros = Math.floor(instantMs * 1000)
  const seconds = new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19)
  const fraction = String(micros % 1e6)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${seconds}Z` : `${seconds}.${fraction}Z`
}
