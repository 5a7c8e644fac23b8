import { describe, expect, it } from 'vitest'
import { type AddressRules, checkAddress } from '../../../action/address/check.ts'
import { parseCidr } from '../../../lib/ip-address.ts'
import { expectValue } from '../../support/expect-value.ts'

function rules(cidrs: readonly string[] = [], allowReserved = false): AddressRules {
  return { expectedCidrs: cidrs.map(text => expectValue(parseCidr(text))), allowReserved }
}

describe('an address', () => {
  it.each([
    ['100.64.0.7', 'in 100.64.0.0/10'],
    ['fd00::7', 'in fc00::/7'],
  ])('that is not public is refused, unless reserved addresses are allowed: %s', (address, why) => {
    expect(checkAddress(address, rules())).toEqual({
      reason: 'address-not-public',
      message: expect.stringContaining(why),
      setting: 'allow-reserved-address',
    })
    expect(checkAddress(address, rules([], true))).toBeNull()
  })

  it.each([
    ['104.16.0.7', '104.16.0.0/13'],
    ['2606:4700::7', '2606:4700::/32'],
  ])("of Cloudflare's proxy is refused, even if it is expected: %s", (address, range) => {
    const problem = {
      reason: 'address-unexpected',
      message: expect.stringContaining(`in ${range}, a range of Cloudflare's proxy`),
      setting: 'address',
    }
    expect(checkAddress(address, rules())).toEqual(problem)
    expect(checkAddress(address, rules([range], true))).toEqual(problem)
  })

  it('with a host part of zero is refused, because it means any router of the subnet', () => {
    for (const address of ['2a01:4f8:1:2::', '2a01:4f8::']) {
      expect(checkAddress(address, rules())).toEqual({
        reason: 'address-not-public',
        message: expect.stringContaining('has a host part of zero'),
        setting: 'allow-reserved-address',
      })
      expect(checkAddress(address, rules([], true))).toBeNull()
      expect(checkAddress(address, { ...rules(), isPrefix: true })).toBeNull()
    }
    expect(checkAddress('2a01:4f8:1::2:0:0:0', rules())).toBeNull()
  })

  it('must be in one of the expected ranges, if there are any', () => {
    const expected = rules(['8.8.4.0/24', '8.8.8.0/24', '2a02:810::/32'])
    expect(checkAddress('8.8.8.8', expected)).toBeNull()
    expect(checkAddress('2a02:810::7', expected)).toBeNull()
    expect(checkAddress('9.9.9.9', expected)).toEqual({
      reason: 'address-unexpected',
      message: expect.stringContaining('outside the expected ranges (8.8.4.0/24, 8.8.8.0/24, 2a02:810::/32)'),
      setting: 'expected-cidr',
    })
  })
})
