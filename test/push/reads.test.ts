import { expect, it } from 'vitest'
import type { Kept } from '../../push/keep.ts'
import { createReads } from '../../push/reads.ts'

const name = 'home.example.com'

/** Returns what is remembered of an A record that was read, and holds this address. */
const holds = (address: string) =>
  ({ result: { type: 'A', address, problem: null }, unsettled: false }) as Kept

it('a read counts for nobody while another address is being written, and is not remembered', () => {
  let ms = 0
  const reads = createReads(() => ms)
  const [old, next] = [[['A', '8.8.4.4']], [['A', '8.8.8.8']]] as const
  reads.start(name, next)
  reads.start(name, old)
  reads.end(name, old, [holds('8.8.4.4')])
  // The write of the first ping can still arrive.
  expect(reads.isFresh(name, old)).toBe(false)
  reads.end(name, next, [holds('8.8.8.8')])
  expect(reads.isFresh(name, next)).toBe(true)
  expect(reads.isFresh(name, old)).toBe(false)

  // An instance that ended its work without telling holds up nobody for longer than a minute.
  reads.start(name, old)
  expect(reads.isFresh(name, next)).toBe(false)
  ms += 60_000
  reads.start(name, next)
  reads.end(name, next, [holds('8.8.8.8')])
  expect(reads.isFresh(name, next)).toBe(true)
})

it('a read counts for a minute from its beginning, also while the same address is being read again', () => {
  let ms = 5000
  const reads = createReads(() => ms)
  const given = [['A', '8.8.8.8']] as const
  reads.start(name, given)
  reads.start(name, given)
  ms = 35_000
  reads.end(name, given, [holds('8.8.8.8')])
  expect(reads.isFresh(name, given)).toBe(true)
  ms = 65_000
  expect(reads.isFresh(name, given)).toBe(false)
})
