import { expect, it } from 'vitest'
import type { Kept } from '../../push/keep.ts'
import { createReads, type Given, type Turn } from '../../push/reads.ts'

const name = 'home.example.com'
const old = '8.8.4.4'
const next = '8.8.8.8'
const given = (address: string, type: 'A' | 'AAAA' = 'A'): readonly Given[] => [
  { slot: { hostname: name, type }, address },
]

/**
 * Returns the result of a read that showed this address in the A record, or of a write whose outcome is unknown. It has the fields that
 * `reads.ts` looks at, so the type needs a cast.
 */
const kept = (address: string, unsettled = false, written = false) =>
  [
    { result: { hostname: name, type: 'A', address, problem: null, written }, unsettled },
  ] as unknown as readonly Kept[]

const problem = { reason: 'record-missing', message: 'home.example.com has no record in this zone.' } as const

const isOvertaken = (turn: Turn, address: string) => given(address).some(turn.isOvertaken)

/** Creates the memory of an endpoint with a clock of the test. */
function start() {
  let nowMs = 0
  const reads = createReads(() => nowMs, [{ name: 'home.example.com', types: ['A'] }])
  const begin = (address: string) => reads.begin(given(address), reads.arrive())
  /** Lets a ping read, and shows it its address. */
  function read(address: string, unsettled = false, written = false): unknown {
    const turn = begin(address)
    const step = turn.next(name)
    turn.end(step === 'read' ? kept(address, unsettled, written) : [])
    return step
  }
  const write = (address: string) => read(address, false, true)
  function pass(ms: number): void {
    nowMs += ms
  }
  return { reads, begin, read, write, pass }
}

it('a later ping waits for one with another address, which is overtaken, for a minute at most', () => {
  const { begin, pass } = start()
  const [older, newer] = [begin(old), begin(next)]
  expect([isOvertaken(older, old), older.mustWait()]).toEqual([true, false])
  expect([isOvertaken(newer, next), newer.mustWait()]).toEqual([false, true])
  // An instance can end its work without telling.
  pass(60_000)
  expect(newer.mustWait()).toBe(false)
})

it('a later ping with the same address waits, and one for another record does not', () => {
  const { reads, begin } = start()
  const older = begin(old)
  const other = reads.begin(given('2a00:1450:4001:82b::1', 'AAAA'), reads.arrive())
  const newer = begin(old)
  expect([older, other, newer].map(turn => turn.mustWait())).toEqual([false, false, true])
  expect(isOvertaken(older, old)).toBe(false)
  older.end([])
  expect(newer.mustWait()).toBe(false)
})

it('an order that the passwords changed counts by arrival', () => {
  const { reads } = start()
  const [first, second, third] = [reads.arrive(), reads.arrive(), reads.arrive()]
  const newest = reads.begin(given(next), third)
  const oldest = reads.begin(given(next), first)
  expect([oldest, newest].map(turn => isOvertaken(turn, next))).toEqual([false, false])
  const middle = reads.begin(given(old), second)
  expect([oldest, newest].map(turn => isOvertaken(turn, next))).toEqual([true, false])
  expect(isOvertaken(middle, old)).toBe(true)
})

it('what a read showed counts for a minute from its beginning, after four reads', () => {
  const { begin, read, pass } = start()
  for (let reads = 0; reads < 3; reads++) expect(read(old)).toBe('read')
  const slow = begin(old)
  expect(slow.next(name)).toBe('read')
  pass(30_000)
  slow.end(kept(old))
  pass(29_000)
  expect(read(old)).toBe('remembered')
  pass(1000)
  expect(read(old)).toBe('read')
})

it('pings that say what the last read showed take four of six reads, whatever their addresses', () => {
  const { read, write } = start()
  const equal = [read(old), read(old), write(next), read(next), read(next), read(next)]
  expect(equal).toEqual([...Array(5).fill('read'), 'remembered'])
  expect([write(old), read(old), write(next)]).toEqual(['read', 'remembered', 60])
})

it('a ping that waited is not refused for a later one, with which the reads are in two minutes', () => {
  const { reads, begin, write, pass } = start()
  for (const address of [old, next, old, next, old]) expect(write(address)).toBe('read')
  pass(59_999)
  const waiting = begin(next)
  pass(1)
  const later = reads.begin(given('2a00:1450:4001:82b::1', 'AAAA'), reads.arrive())
  expect(later.next(name)).toBe('read')
  expect(waiting.next(name)).toBe('read')
  expect(begin(old).next(name)).toBe('read')
})

it('a ping after one that was overtaken is compared with what the last read showed', () => {
  const { begin, read } = start()
  expect(read(old)).toBe('read')
  const overtaken = begin(old)
  expect(overtaken.next(name)).toBe('read')
  const changed = begin(next)
  overtaken.end(kept(old))
  expect(changed.next(name)).toBe('read')
  changed.end(kept(next))
  // Only these say what was shown before, besides the first two.
  expect([read(next), read(next), read(next)]).toEqual(['read', 'read', 'remembered'])
})

it('a read that failed shows nothing, and nothing before it answers a ping', () => {
  const { begin, read } = start()
  for (let reads = 0; reads < 4; reads++) expect(read(old)).toBe('read')
  const failed = begin(next)
  expect(failed.next(name)).toBe('read')
  failed.end(kept(next).map(one => ({ ...one, result: { ...one.result, problem } })))
  expect([begin(next).next(name), begin(old).next(name)]).toEqual(['read', 60])
})

it('nothing is remembered for a minute after a write whose outcome is unknown', () => {
  const { read } = start()
  const steps = [read(old, true), ...Array.from({ length: 6 }, () => read(old))]
  expect(steps).toEqual([...Array(6).fill('read'), 60])
})
