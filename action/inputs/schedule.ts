import type { Schedule } from '../watch.ts'
import { type Reader, readDuration } from './reader.ts'

const day = 24 * 60 * 60 * 1000
const intervalLimits = { minMs: 1000, maxMs: day, range: '1s to 24h' }
const lengthLimits = { minMs: 1000, maxMs: 5 * day, range: '1s to 120h' }

/** Reads `watch-interval` and `watch-for`; null for a single round. Only a run that may be endless can leave out `watch-for`. */
export function readSchedule(read: Reader, mayBeEndless: boolean): Schedule | null {
  const [hasInterval, hasEnd] = [read.text('watch-interval') !== '', read.text('watch-for') !== '']
  if (hasEnd && !hasInterval) {
    read.addProblem('watch-for', 'is set, but watch-interval is not. Set both, or neither.')
  }
  if (!hasInterval) return null
  if (!hasEnd && !mayBeEndless) {
    read.addProblem(
      'watch-for',
      'is empty. Set it, such as 55m: GitHub ends a job that does not end by itself.',
    )
  }
  return {
    intervalMs: readDuration(read, 'watch-interval', intervalLimits),
    forMs: hasEnd ? readDuration(read, 'watch-for', lengthLimits) : null,
  }
}
