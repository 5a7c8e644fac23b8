/** The clock of the sandbox: the machine's clock with an offset that tests can set. */
export class Clock {
  #offsetMs = 0

  /** Returns milliseconds since 1970, with a fraction, because timestamps of the DNS service have microseconds. */
  now(): number {
    return performance.timeOrigin + performance.now() + this.#offsetMs
  }

  /** Sets the clock to a time in milliseconds since 1970. It continues to run. */
  set(instantMs: number): void {
    this.#offsetMs += instantMs - this.now()
  }
}

/** Formats a time to the second, like Graph and GitHub: `2026-11-05T12:00:00Z`. @param instantMs milliseconds since 1970 */
export const formatSecond = (instantMs: number): string =>
  `${new Date(instantMs).toISOString().slice(0, 19)}Z`

/**
 * Formats a time like the DNS service: RFC 3339 in UTC with microseconds, without trailing zeros.
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
