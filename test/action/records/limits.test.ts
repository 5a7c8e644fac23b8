import { describe, expect, it } from 'vitest'
import { workInTurns } from '../../../action/concurrency.ts'
import { type HttpOutcome, parseRateLimits, type RateLimit } from '../../../action/exchange.ts'
import type { Problem } from '../../../action/problem.ts'
import { createBreaker, createPace } from '../../../action/records/limits.ts'
import { commonSuffix, isOutside } from '../../../action/records/list.ts'
import { response } from '../../support/response.ts'

const problem = (reason: Problem['reason']): Problem => ({ reason, message: 'It failed.' })

it('the breaker opens after the first failed write in a zone, or after four in a row once one has succeeded', () => {
  const first = createBreaker()
  first.succeeded('read', 'a')
  first.failed('write', 'a', problem('write-unconfirmed'), 'service')
  expect(first.openFor('a')).toMatchObject({ reason: 'service-unavailable' })
  expect(first.openFor('b')).toBeNull()

  const later = createBreaker()
  const fail = (times: number, reason: Problem['reason'], scope: 'zone' | 'request' | 'record') => {
    for (let failures = 1; failures <= times; failures++) later.failed('write', 'a', problem(reason), scope)
  }
  later.succeeded('write', 'a')
  fail(3, 'token-rejected', 'zone')
  later.succeeded('write', 'a')
  fail(3, 'token-rejected', 'zone')
  fail(9, 'write-rejected', 'request')
  expect(later.openFor('a')).toBeNull()
  fail(1, 'token-rejected', 'zone')
  expect(later.openFor('a')).toMatchObject({
    reason: 'token-rejected',
    message: 'Not tried, because 4 names in a row failed with token-rejected.',
  })
  expect(later.openFor('b')).toBeNull()
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

it('work in turns starts with a single item, keeps to its limit, and ends with all done', async () => {
  let inFlight = 0
  const most: number[] = []
  const done: number[] = []
  await workInTurns([5, 1, 4, 2, 3, 0], 3, async item => {
    most.push(++inFlight)
    for (let turn = 0; turn < item; turn++) await Promise.resolve()
    inFlight--
    done.push(item)
  })
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
  expect(most[0]).toBe(1)
  expect(most[1]).toBe(1)
  expect(Math.max(...most)).toBe(3)
})
