import { describe, expect, it } from 'vitest'
import { cloudflareRangeOf, specialPurposeOf } from '../../../action/address/check.ts'

describe('the special-purpose table', () => {
  // The first and last address of each range in IANA's registries.
  it.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.31.196.0', '192.31.196.255'],
    ['192.52.193.0', '192.52.193.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['192.175.48.0', '192.175.48.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '239.255.255.255'],
    ['240.0.0.0', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['::ffff:0.0.0.0', '::ffff:255.255.255.255'],
    ['64:ff9b::', '64:ff9b::ffff:ffff'],
    ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['100::', '100::ffff:ffff:ffff:ffff'],
    ['100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
    ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
    ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
    ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('contains %s to %s', (first, last) => {
    expect(specialPurposeOf(first)).toMatch(/\(RFC \d+.*\), in /)
    expect(specialPurposeOf(first)).toContain(`${first}/`)
    expect(specialPurposeOf(last)).toBe(specialPurposeOf(first))
  })

  it('contains the rest of the protocol assignments, and all that is not global unicast', () => {
    for (const address of ['2001:1::1', '2001:5::', '2001:1ff:ffff::'])
      expect(specialPurposeOf(address)).toContain('in 2001::/23')
    for (const address of ['::2', '1fff:ffff::', '4000::', '64:ff9b::1:0:0', 'fbff::1', 'fe00::1'])
      expect(specialPurposeOf(address)).toContain('2000::/3')
  })

  it('does not contain the neighbours of its ranges', () => {
    const ipv4 =
      '1.0.0.0 8.8.8.8 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.31.197.0 192.52.194.0 192.88.100.0 192.169.0.0 192.175.49.0 198.17.255.255 198.20.0.0 198.51.101.0 203.0.114.0 223.255.255.255'
    const ipv6 =
      '2000::1 2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1 2620:4f:7fff::1 2620:4f:8001::1 3ffe:ffff::1 3fff:1000::1'
    for (const address of `${ipv4} ${ipv6}`.split(' '))
      expect([address, specialPurposeOf(address)]).toEqual([address, null])
  })
})

it.each([
  ['103.21.244.0', '103.21.247.255', '103.21.244.0/22'],
  ['103.22.200.0', '103.22.203.255', '103.22.200.0/22'],
  ['103.31.4.0', '103.31.7.255', '103.31.4.0/22'],
  ['104.16.0.0', '104.23.255.255', '104.16.0.0/13'],
  ['104.24.0.0', '104.27.255.255', '104.24.0.0/14'],
  ['108.162.192.0', '108.162.255.255', '108.162.192.0/18'],
  ['131.0.72.0', '131.0.75.255', '131.0.72.0/22'],
  ['141.101.64.0', '141.101.127.255', '141.101.64.0/18'],
  ['162.158.0.0', '162.159.255.255', '162.158.0.0/15'],
  ['172.64.0.0', '172.71.255.255', '172.64.0.0/13'],
  ['173.245.48.0', '173.245.63.255', '173.245.48.0/20'],
  ['188.114.96.0', '188.114.111.255', '188.114.96.0/20'],
  ['190.93.240.0', '190.93.255.255', '190.93.240.0/20'],
  ['197.234.240.0', '197.234.243.255', '197.234.240.0/22'],
  ['198.41.128.0', '198.41.255.255', '198.41.128.0/17'],
  ['2400:cb00::', '2400:cb00:ffff:ffff:ffff:ffff:ffff:ffff', '2400:cb00::/32'],
  ['2405:8100::', '2405:8100:ffff:ffff:ffff:ffff:ffff:ffff', '2405:8100::/32'],
  ['2405:b500::', '2405:b500:ffff:ffff:ffff:ffff:ffff:ffff', '2405:b500::/32'],
  ['2606:4700::', '2606:4700:ffff:ffff:ffff:ffff:ffff:ffff', '2606:4700::/32'],
  ['2803:f800::', '2803:f800:ffff:ffff:ffff:ffff:ffff:ffff', '2803:f800::/32'],
  ['2a06:98c0::', '2a06:98c7:ffff:ffff:ffff:ffff:ffff:ffff', '2a06:98c0::/29'],
  ['2c0f:f248::', '2c0f:f248:ffff:ffff:ffff:ffff:ffff:ffff', '2c0f:f248::/32'],
])("the range of Cloudflare's proxy from %s to %s is %s", (first, last, range) => {
  expect([first, last].map(cloudflareRangeOf)).toEqual([range, range])
})

it.each(['104.15.255.255', '172.72.0.0', '2606:4701::1', '2a06:98c8::1'])(
  "%s is beside the ranges of Cloudflare's proxy",
  address => {
    expect(cloudflareRangeOf(address)).toBeNull()
  },
)
