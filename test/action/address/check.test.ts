import { describe, expect, it } from 'vitest'
import { type AddressRules, checkAddress } from '../../../action/address/check.ts'
import { parseCidr } from '../../../lib/ip-address.ts'

function rules(cidrs: readonly string[] = [], allowReserved = false): AddressRules {
  const expectedCidrs = cidrs.map(text => {
    const range = parseCidr(text)
    if ('problem' in range) throw new Error(range.problem)
    return range.value
  })
  return { expectedCidrs, allowReserved }
}

describe('an address', () => {
  it.each(['8.8.8.8', '2a02:810:1:2::7'])('is accepted if it is public: %s', address => {
    expect(checkAddress(address, rules())).toBeNull()
  })

  it.each([
    ['100.64.0.7', 'carrier-grade NAT, shared by customers of a provider (RFC 6598), in 100.64.0.0/10'],
    ['fd00::7', 'unique local, private (RFC 4193), in fc00::/7'],
  ])('that is not public is refused, unless reserved addresses are allowed: %s', (address, why) => {
    expect(checkAddress(address, rules())).toEqual({
      reason: 'address-not-public',
      message: `${address} is not a public address: ${why}. It cannot be reached from the internet.`,
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
      message:
        `${address} is in ${range}, a range of Cloudflare's proxy, so it does not belong to this host. Look for a ` +
        'proxy or VPN between the host and the internet.',
      setting: 'address',
    }
    expect(checkAddress(address, rules())).toEqual(problem)
    expect(checkAddress(address, rules([range], true))).toEqual(problem)
  })

  it('with a host part of zero is refused, because it means any router of the subnet', () => {
    for (const address of ['2a01:4f8:1:2::', '2a01:4f8::']) {
      expect(checkAddress(address, rules())).toEqual({
        reason: 'address-not-public',
        message: expect.stringMatching(
          /^2a01:4f8\S* has a host part of zero, .* \(RFC 4291 section 2\.6\.1\)\./,
        ),
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
      message:
        '9.9.9.9 is outside the expected ranges (8.8.4.0/24, 8.8.8.0/24, 2a02:810::/32). If your provider did not move you to ' +
        'another range, it is the address of another network.',
      setting: 'expected-cidr',
    })
  })
})
