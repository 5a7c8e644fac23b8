/** Reads a day, `2026-03-31`, as the time at which it begins in UTC, in milliseconds since 1970; null if it is none. */
export function parseDay(text: string): number | null {
  const begins = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse takes 2026-02-30 for a day in March.
  return !Number.isNaN(begins) && formatDay(begins) === text ? begins : null
}

/** Returns a time as a day in UTC. @param time milliseconds since 1970 */
export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
