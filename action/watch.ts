import { type Exchange, failure, type HttpOutcome, type HttpRequest } from '../lib/exchange.ts'
import type { Clock } from './deadline.ts'
import { failedRound, overall, type RoundResult, withoutRound } from './result.ts'

/** The outcome of all rounds of one run. */
export type Watched = Readonly<Awaited<ReturnType<typeof watch>>>

/** One round over this exchange and clock. */
export type Round = (exchange: Exchange, clock: Clock) => Promise<RoundResult>

const jitterShare = 0.1
/** An outage ends without notice, so a longer wait than this would leave a wrong address for too long. */
const maxBackOffMs = 15 * 60_000

/**
 * Runs a round every `intervalMs` until `stop` aborts. `onRound` hears of each, and how long until the next. A failed round does not end it. When asked to stop, it lets the
 * requests in flight end, sends no other, and counts a round that this cut short only if it may have written.
 */
export async function watch(
  intervalMs: number,
  round: Round,
  exchange: Exchange,
  clock: Clock,
  stop: AbortSignal,
  onRound: (round: RoundResult, nextMs: number) => void | Promise<void>,
) {
  const watched = {
    /** The last round that was not cut short. */
    last: withoutRound({
      reason: 'unexpected',
      message: 'Homeport was asked to stop before its first round was over. Nothing was written.',
    }),
    rounds: 0,
    failed: 0,
    /** Of all rounds. */
    requests: 0,
  }
  let failuresInARow = 0
  while (!stop.aborted) {
    const startMs = clock.now()
    const guard = guardUntil(stop, exchange, clock)
    const result = await round(guard.exchange, guard.clock).catch(failedRound)
    const requests = result.requests - guard.refusals
    watched.requests += requests
    const isFailed = overall(result) === 'failed'
    const isCut = guard.refusals > 0 || (isFailed && guard.endedWait)
    if (isCut && !mayHaveWritten(result)) break
    failuresInARow = isFailed && !isUnserved(result) ? failuresInARow + 1 : 0
    watched.last = { ...result, requests }
    watched.rounds++
    if (isFailed) watched.failed++
    const dueMs = startMs + waitMs(intervalMs, failuresInARow, clock.random())
    await onRound(watched.last, Math.max(0, dueMs - clock.now()))
    await clock.sleep(Math.max(0, dueMs - clock.now()), stop)
  }
  return watched
}

/**
 * Returns the time from the start of one round to the next. It varies by a tenth, so that hosts which started together
 * drift apart, and doubles with each failure after the first.
 */
export function waitMs(intervalMs: number, failuresInARow: number, random: number): number {
  const jitteredMs = intervalMs * (1 - jitterShare / 2 + jitterShare * random)
  const backOffMs = jitteredMs * 2 ** Math.min(16, Math.max(0, failuresInARow - 1))
  return Math.min(backOffMs, Math.max(jitteredMs, maxBackOffMs))
}

/** Returns whether every failure is a record that is not served. That can last for months, and a longer wait would help nobody. */
function isUnserved({ records, problem }: RoundResult): boolean {
  return (
    problem === null && records.every(record => (record.problem?.reason ?? 'not-served') === 'not-served')
  )
}

function mayHaveWritten({ records }: RoundResult): boolean {
  return records.some(({ written, problem }) => written || problem?.reason === 'write-unconfirmed')
}

/** Refuses requests and ends waits once `stop` has aborted. Returns the exchange and the clock to use instead, and what they cut short. */
function guardUntil(stop: AbortSignal, exchange: Exchange, clock: Clock) {
  const guard = {
    refusals: 0,
    endedWait: false,
    async exchange(request: HttpRequest): Promise<HttpOutcome> {
      if (!stop.aborted) return exchange(request)
      guard.refusals++
      return failure('aborted', 'Homeport was asked to stop')
    },
    clock: {
      ...clock,
      async sleep(ms: number, signal?: AbortSignal): Promise<void> {
        await clock.sleep(ms, signal ? AbortSignal.any([signal, stop]) : stop)
        guard.endedWait ||= stop.aborted
      },
    },
  }
  return guard
}
