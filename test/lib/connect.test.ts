import { describe, expect, it } from 'vitest'
import { attemptLimitMs, inTurn } from '../../lib/connect.ts'

describe('the addresses of a host', () => {
  it('take turns by family, in the order of the resolver', () => {
    const listed = ['2001:db8::1', '2001:db8::2', '192.0.2.1', '2001:db8::3', '192.0.2.2']
    const addresses = listed.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    expect(inTurn(addresses).map(({ address }) => address)).toEqual([
      '2001:db8::1',
      '192.0.2.1',
      '2001:db8::2',
      '192.0.2.2',
      '2001:db8::3',
    ])
  })

  it('have three seconds each, or half of what is left, and the last has the rest', () => {
    expect(attemptLimitMs(Number.POSITIVE_INFINITY, false)).toBe(3000)
    expect(attemptLimitMs(10_000, false)).toBe(3000)
    expect(attemptLimitMs(4000, false)).toBe(2000)
    expect(attemptLimitMs(2000, false)).toBe(1000)
    // The request's own limit ends the last attempt.
    expect(attemptLimitMs(2000, true)).toBeGreaterThan(2000)
  })
})
