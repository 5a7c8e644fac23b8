import { isIPv4, isIPv6 } from 'node:net'
import { describe, expect, it } from 'vitest'
import { isIpv4, isIpv6 } from '../../../lib/ip-address.ts'
import { fc, runs } from '../../../sandbox/testing/random.ts'

describe('the syntax of addresses', () => {
  it('is that of Node, but for zone ids', () => {
    const piece = fc.constantFrom(
      '::',
      ':',
      '.',
      '0',
      '1',
      '00',
      'ffff',
      'F0',
      '1.2.3.4',
      '255',
      '256',
      '01',
      '12345',
      'g',
    )
    const text = fc.array(piece, { maxLength: 17 }).map(pieces => pieces.join(''))
    const groups = fc.array(fc.constantFrom('0', 'ab', 'ffff', '', '1.2.3.4'), { maxLength: 10 })
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          groups.map(parts => parts.join(':')),
          fc.ipV4(),
          fc.ipV6(),
        ),
        address => {
          expect([address, isIpv4(address), isIpv6(address)]).toEqual([
            address,
            isIPv4(address),
            isIPv6(address),
          ])
        },
      ),
      { numRuns: runs(5000) },
    )
  })

  it('has no zone ids', () => {
    expect(isIPv6('fe80::1%eth0')).toBe(true)
    expect(isIpv6('fe80::1%eth0')).toBe(false)
  })
})
