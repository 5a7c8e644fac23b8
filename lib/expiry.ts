export const dayMs = 86_400_000

/** Returns how many days are left, where a begun day counts; 0 or less if none is. Times are Unix milliseconds. */
export function daysLeft(endsAt: number, now: number): number {
  return Math.ceil((endsAt - now) / dayMs)
}

/** Returns `expires on 2026-12-01, in 5 days` or `expired on 2026-12-01`. Times are Unix milliseconds. */
export function describeEnd(endsAt: number, now: number): string {
  const days = daysLeft(endsAt, now)
  const day = new Date(endsAt).toISOString().slice(0, 10)
  if (days <= 0) return `expired on ${day}`
  return `expires on ${day}, in ${days === 1 ? 'one day' : `${days} days`}`
}
