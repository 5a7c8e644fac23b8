import { describe, expect, it } from 'vitest'
import { createLimit } from '../../../action/concurrency.ts'
import { createPace, createTokenCheck } from '../../../action/records/limits.ts'
import { commonSuffix, isOutside } from '../../../action/records/list.ts'
import { type HttpOutcome, parseRateLimits, type RateLimit } from '../../../lib/exchange.ts'
import { response } from '../../support/response.ts'

it('a rejected token stops everything, unless it has worked in this round', () => {
  const { rejection, accepted, rejected } = createTokenCheck()
  expect(rejection()).toBeNull()
  rejected({ reason: 'token-rejected', message: 'It failed.' })
  const message = 'Not tried, because another name just failed with token-rejected.'
  expect(rejection()).toEqual({ reason: 'token-rejected', message })
  accepted()
  expect(rejection()).toBeNull()
})

describe('the rate limit', () => {
  it.each([
    [
      '"default"; r=0 ; t=5, "burst";t=60;r=99',
      [
        { remaining: 0, resetMs: 5000 },
        { remaining: 99, resetMs: 60_000 },
      ],
    ],
    ['"default";r=x;t=30', []],
  ])('is read from %j', (header, limits) => {
    expect(parseRateLimits(header)).toEqual(limits)
  })

  const outcome = (rateLimits: readonly RateLimit[], status = 200, retryAfterMs: number | null = null) =>
    Promise.resolve(response('', { status, retryAfterMs, rateLimits }))

  it('counts requests in flight against the requests that remain', async () => {
    let nowMs = 0
    const pace = createPace({ now: () => nowMs })
    await pace.track(outcome([{ remaining: 1, resetMs: 30_000 }]))
    expect(pace.waitMs()).toBe(0)
    const inFlight = Promise.withResolvers<HttpOutcome>()
    const tracked = pace.track(inFlight.promise)
    await pace.track(outcome([{ remaining: 1, resetMs: 30_000 }]))
    expect(pace.waitMs()).toBe(30_000)
    inFlight.resolve({ kind: 'failure', cause: 'timeout', detail: '' })
    await tracked
    nowMs = 29_999
    expect(pace.waitMs()).toBe(1)
    nowMs = 40_000
    expect(pace.waitMs()).toBe(0)
  })

  it('waits for the longest of its policies, and for Retry-After', async () => {
    const pace = createPace({ now: () => 0 })
    await pace.track(
      outcome([
        { remaining: 0, resetMs: 5000 },
        { remaining: 0, resetMs: 9000 },
      ]),
    )
    expect(pace.waitMs()).toBe(9000)
    await pace.track(outcome([], 429, 20_000))
    expect(pace.waitMs()).toBe(20_000)
  })
})

describe('the suffix of a zone', () => {
  it.each([
    ['a.example.com', 'b.example.com', 'example.com'],
    ['example.com', 'a.b.example.com', 'example.com'],
    ['ab.example.com', 'b.example.com', 'example.com'],
  ])('of %s and %s is "%s"', (one, other, suffix) => {
    expect(commonSuffix(one, other)).toBe(suffix)
    expect(commonSuffix(other, one)).toBe(suffix)
  })

  it.each([
    ['home.other.example', 'example.com', true],
    ['new.example.com', 'home.example.com', false],
    ['home.other.example', '', false],
  ])('%s is outside "%s": %s', (hostname, suffix, outside) => {
    expect(isOutside(hostname, suffix)).toBe(outside)
  })
})

it('work starts in order, keeps to its limit, and goes on after a failure', async () => {
  const limit = createLimit(3)
  let underWay = 0
  const begun: number[] = []
  const most: number[] = []
  const items = [5, 1, 4, 2, 3, 0]
  const work = (item: number) =>
    limit(async () => {
      begun.push(item)
      most.push(++underWay)
      for (let turn = 0; turn < item; turn++) await Promise.resolve()
      underWay--
      if (item === 1) throw new Error('failed')
    })
  // The second time shows that what waited gave its place back once.
  for (const _ of [1, 2]) {
    const ended = await Promise.allSettled(items.map(work))
    expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(begun.splice(0)).toEqual(items)
  }
  expect(Math.max(...most)).toBe(3)
})
