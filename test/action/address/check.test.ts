import { describe, expect, it } from 'vitest'
import { type AddressRules, checkAddress, specialPurposeOf } from '../../../action/address/check.ts'
import { parseCidr } from '../../../lib/ip-address.ts'
import { expectValue } from '../../support/expect-value.ts'

function rules(cidrs: readonly string[] = [], allowReserved = false): AddressRules {
  return { expectedCidrs: cidrs.map(text => expectValue(parseCidr(text))), allowReserved }
}

const words = (text: string) => text.trim().split(/\s+/)

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

  it("of Cloudflare's proxy is refused, even if it is expected", () => {
    const problem = { reason: 'address-unexpected', setting: 'address' }
    expect(checkAddress('104.16.0.7', rules())).toMatchObject(problem)
    expect(checkAddress('104.16.0.7', rules(['104.16.0.0/13'], true))).toMatchObject(problem)
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

describe('the special-purpose table', () => {
  it("contains each range of IANA's registries, whole", () => {
    const ranges = words(`
      0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
      192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
      203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 ::ffff:0.0.0.0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64
      100:0:0:1::/64 2001::/32 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28
      2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`)
    for (const range of ranges) {
      const [network = ''] = range.split('/')
      expect(specialPurposeOf(network)).toMatch(/\(RFC \d+.*\), in /)
      expect(specialPurposeOf(network)?.endsWith(` in ${range}`)).toBe(true)
    }
  })

  it('contains the rest of the protocol assignments, and all that is not global unicast', () => {
    for (const address of ['2001:1::1', '2001:5::', '2001:1ff:ffff::'])
      expect(specialPurposeOf(address)).toContain('in 2001::/23')
    for (const address of ['::2', '1fff:ffff::', '4000::', '64:ff9b::1:0:0', 'fbff::1', 'fe00::1'])
      expect(specialPurposeOf(address)).toContain('2000::/3')
  })

  it('does not contain the neighbours of its ranges', () => {
    const neighbours = words(`
      1.0.0.0 8.8.8.8 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.255.0.0 172.15.255.255 172.32.0.0
      192.0.1.0 192.0.3.0 192.31.197.0 192.52.194.0 192.88.100.0 192.169.0.0 192.175.49.0 198.17.255.255 198.20.0.0
      198.51.101.0 203.0.114.0 223.255.255.255 2000::1 2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1 2620:4f:7fff::1
      2620:4f:8001::1 3ffe:ffff::1 3fff:1000::1`)
    for (const address of neighbours) expect([address, specialPurposeOf(address)]).toEqual([address, null])
  })
})

it("the ranges of Cloudflare's proxy are those that it publishes, without their neighbours", () => {
  const check = (address: string) => checkAddress(address, rules([], true))
  const ranges = words(`
      103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 131.0.72.0/22
      141.101.64.0/18 162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 190.93.240.0/20 197.234.240.0/22
      198.41.128.0/17 2400:cb00::/32 2405:8100::/32 2405:b500::/32 2606:4700::/32 2803:f800::/32 2a06:98c0::/29
      2c0f:f248::/32`)
  for (const range of ranges)
    expect(check(range.replace(/\/.*/, ''))?.message).toContain(
      `is in ${range}, a range of Cloudflare's proxy`,
    )
  for (const address of ['104.15.255.255', '172.72.0.0', '2606:4701::1', '2a06:98c8::1'])
    expect(check(address)).toBeNull()
})
