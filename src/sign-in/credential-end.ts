import { daysLeft, describeEnd } from '../../lib/expiry.ts'
import type { Log } from '../http/log.ts'

const hourMs = 3_600_000

/**
 * Creates a function that logs that a credential expires: 30, 14 and 7 days before, then daily, even after that. It
 * remembers what it has said, so it can be called for every sign-in. Times are Unix times in milliseconds.
 * @param name what the line starts with, such as `CLIENT_SECRET`
 * @param before follows `NAME expires on DATE, in N days.`
 * @param after follows `NAME expired on DATE`
 */
export function createEndReport(log: Log, name: string, before: string, after: string) {
  let said = ''
  return (endsAt: number, now: number): void => {
    const days = daysLeft(endsAt, now)
    const stage = stageOf(days)
    const found = `${endsAt} ${stage}`
    if (stage === null || found === said) return
    said = found
    const end = describeEnd(endsAt, now)
    if (days <= 0) log({ level: 'error', event: 'settings', message: `${name} ${end}${after}` })
    else log({ level: 'warning', event: 'settings', message: `${name} ${end}. ${before}` })
  }
}

/** Returns which notice is due: 30, 14, or the days that are left; null if none is. */
function stageOf(days: number): number | null {
  if (days > 30) return null
  if (days > 14) return 30
  return days > 7 ? 14 : days
}

/** Does something now and every hour. Does not keep the process running. */
export function everyHour(work: () => Promise<void>): void {
  void work()
  setInterval(() => void work(), hourMs).unref()
}
