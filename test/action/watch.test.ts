import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../action/deadline.ts'
import { resultOf } from '../../action/decide.ts'
import { type RoundResult, withoutRound } from '../../action/result.ts'
import { type Round, waitMs, watch } from '../../action/watch.ts'
import type { Exchange } from '../../lib/exchange.ts'
import { fc } from '../support/random.ts'
import { response } from '../support/response.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { slot } from './records/api.ts'

const minute = 60_000
const endless = Number.POSITIVE_INFINITY
const goodRecord = resultOf(slot, null, null, { result: 'unchanged' })
const bad = withoutRound({ reason: 'service-unavailable', message: 'down' })
const good: RoundResult = { ...bad, problem: null, records: [goodRecord] }
const wrote: RoundResult = { ...good, records: [{ ...goodRecord, result: 'updated', written: true }] }

const exchange: Exchange = async () => response('')

/** Watches in virtual time, until no other round would start within `forMs`. */
async function watchRounds(
  forMs: number,
  round: Round,
  { through = exchange, stop = new AbortController().signal, clock = virtualClock().clock } = {},
) {
  const done = new AbortController()
  const endMs = clock.now() + forMs
  const ending: Clock = {
    ...clock,
    sleep: (ms, signal) =>
      clock.now() + ms < endMs ? clock.sleep(ms, signal) : Promise.resolve(done.abort()),
  }
  return watch(5 * minute, round, through, ending, AbortSignal.any([stop, done.signal]), () => {})
}

/** Watches rounds with these results, repeating the last one. Returns when each round started, in minutes. */
async function watchResults(results: readonly RoundResult[], forMinutes: number, roundMs = 0) {
  const { clock, pass } = virtualClock()
  const starts: number[] = []
  const round: Round = async () => {
    starts.push(clock.now() / minute)
    pass(roundMs)
    return results[starts.length - 1] ?? results.at(-1) ?? bad
  }
  const watched = await watchRounds(forMinutes * minute, round, { clock })
  return { watched, starts }
}

it('a wait that is over leaves nothing behind on the signal that can end it', async () => {
  const { signal } = new AbortController()
  await systemClock.sleep(0, signal)
  // A watch has one signal for years.
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

describe('watching', () => {
  it('goes on after failures, waits longer from the second in a row, and recovers', async () => {
    const { watched, starts } = await watchResults([bad, bad, bad, bad, good, good, bad, good], 80)
    expect(starts).toEqual([0, 5, 15, 30, 45, 50, 55, 60, 65, 70, 75])
    expect(watched.failed).toBe(5)
    expect(watched.last).toMatchObject({ problem: null })
  })

  it('does not wait longer because a record is not served, which others need not wait for', async () => {
    const problem = { reason: 'not-served', message: 'hidden' } as const
    const hidden = { ...good, records: [goodRecord, { ...goodRecord, result: 'failed', problem } as const] }
    const { watched, starts } = await watchResults([hidden], 25)
    expect(starts).toEqual([0, 5, 10, 15, 20])
    expect(watched.failed).toBe(5)
    const mixed = { ...hidden, records: [...hidden.records, { ...goodRecord, problem: bad.problem }] }
    expect((await watchResults([mixed], 25)).starts).toEqual([0, 5, 15])
  })

  it('starts a round at once if the previous one took longer than the interval', async () => {
    const { starts } = await watchResults([good], 15, 7 * minute)
    expect(starts).toEqual([0, 7, 14])
  })

  it('counts an unexpected error as a failed round', async () => {
    let rounds = 0
    const watched = await watchRounds(10 * minute, async () => {
      if (++rounds === 1) throw new RangeError('surprise')
      return good
    })
    expect(watched).toMatchObject({ rounds: 2, failed: 1, last: { problem: null } })
  })

  it('varies the wait by a tenth, and never backs off beyond 15 minutes or the interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 24 * 60 * minute }),
        fc.nat(100),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (intervalMs, failures, random) => {
          const wait = waitMs(intervalMs, failures, random)
          expect(wait).toBeGreaterThanOrEqual(intervalMs * 0.95)
          expect(wait).toBeLessThanOrEqual(Math.max(15 * minute, intervalMs * 1.05))
          if (failures < 2) expect(wait).toBeLessThanOrEqual(intervalMs * 1.05)
        },
      ),
    )
  })
})

describe('a request to stop', () => {
  /** Runs one good round, then stops during the second, whose two requests follow each other. */
  async function stopDuring(second: RoundResult) {
    const { clock } = virtualClock()
    const stop = new AbortController()
    const sent: string[] = []
    let rounds = 0
    const recording: Exchange = async request => {
      sent.push(request.url)
      if (rounds === 2) stop.abort()
      return exchange(request)
    }
    const round: Round = async (through, at) => {
      rounds++
      for (const step of ['list', 'write']) {
        await through({ method: 'GET', url: `${step} ${rounds}`, headers: {}, timeoutMs: 1, maxBytes: 1 })
        await at.sleep(minute)
      }
      return { ...(rounds === 1 ? good : second), requests: 2 }
    }
    const watched = await watchRounds(endless, round, { through: recording, stop: stop.signal, clock })
    return { watched, sent, endMinutes: clock.now() / minute }
  }

  it('lets the request in flight end, sends no other, and returns the last complete round', async () => {
    const { watched, sent, endMinutes } = await stopDuring(bad)
    expect(sent).toEqual(['list 1', 'write 1', 'list 2'])
    expect(watched).toMatchObject({ rounds: 1, failed: 0, requests: 3, last: { problem: null } })
    expect(endMinutes).toBe(5)
  })

  it('counts the round if it may have written', async () => {
    expect((await stopDuring(wrote)).watched).toMatchObject({ rounds: 2 })
    const problem = { reason: 'write-unconfirmed', message: 'unknown' } as const
    const unconfirmed = { ...good, records: [{ ...goodRecord, result: 'failed', problem } as const] }
    expect((await stopDuring(unconfirmed)).watched).toMatchObject({ rounds: 2, failed: 1 })
  })

  it('that ends a wait counts the round only if it did not fail', async () => {
    const stopWaiting = async (second: RoundResult) => {
      const stop = new AbortController()
      let rounds = 0
      const round: Round = async (_, at) => {
        if (++rounds === 1) return good
        stop.abort()
        await at.sleep(minute)
        return second
      }
      return watchRounds(endless, round, { stop: stop.signal })
    }
    expect(await stopWaiting(bad)).toMatchObject({ rounds: 1, failed: 0, last: { problem: null } })
    expect(await stopWaiting(good)).toMatchObject({ rounds: 2, failed: 0, last: { problem: null } })
  })

  it('before the first round ends is a failure', async () => {
    const watched = await watchRounds(endless, async () => good, { stop: AbortSignal.abort() })
    expect(watched).toMatchObject({ rounds: 0, last: { problem: { reason: 'unexpected' } } })
  })
})
