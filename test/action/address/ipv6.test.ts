import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { cloudflareRangeOf, specialPurposeOf } from '../../../action/address/check.ts'
import { parseIpv6Prefix } from '../../../action/address/suffix.ts'
import { ipv6Network, parseCidr, parseIpv6 } from '../../../lib/ip-address.ts'
import { fc } from '../../../sandbox/testing/random.ts'

describe('the special-purpose table of IPv6', () => {
  // The first and last address of each range in IANA's registry.
  it.each([
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
    ['::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ])('contains %s to %s', (first, last) => {
    expect(specialPurposeOf(first)).toMatch(/\(RFC \d+\), in /)
    expect(specialPurposeOf(first)).toContain(`${first}/`)
    expect(specialPurposeOf(last)).toBe(specialPurposeOf(first))
  })

  it('contains loopback, the unspecified address and the rest of the protocol assignments', () => {
    expect(specialPurposeOf('::')).toContain('unspecified')
    expect(specialPurposeOf('::1')).toContain('loopback')
    for (const address of ['2001:1::1', '2001:1::3', '2001:5::', '2001:1ff:ffff::']) {
      expect(specialPurposeOf(address)).toBe('protocol assignments (RFC 2928), in 2001::/23')
    }
  })

  it('contains everything outside global unicast space', () => {
    for (const address of ['::2', '1fff:ffff::', '4000::', '64:ff9b::1:0:0', 'fbff::1', 'fe00::1']) {
      expect(specialPurposeOf(address)).toContain('2000::/3')
    }
  })

  it.each([
    '2001:200::1',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2620:4f:7fff::1',
    '2620:4f:8001::1',
    '2a00:1450:4001:80b::200e',
    '3fff:1000::1',
    '3ffe:ffff::1',
    '2000::1',
  ])('does not contain %s', address => {
    expect(specialPurposeOf(address)).toBeNull()
  })
})

describe("the IPv6 ranges of Cloudflare's proxy", () => {
  it('contain its addresses but not their neighbours', () => {
    expect(cloudflareRangeOf('2606:4700:4700::1111')).toBe('2606:4700::/32')
    expect(cloudflareRangeOf('2a06:98c7:ffff::1')).toBe('2a06:98c0::/29')
    expect(cloudflareRangeOf('2c0f:f248::1')).toBe('2c0f:f248::/32')
    expect(cloudflareRangeOf('2606:4701::1')).toBeNull()
    expect(cloudflareRangeOf('2a06:98c8::1')).toBeNull()
  })
})

describe('an IPv6 range', () => {
  it('contains the addresses of its prefix, from /0 to /128', () => {
    const address = fc.ipV6().map(text => parseIpv6(text) ?? '')
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 128 }), (base, other, prefix) => {
        const range = parseCidr(`${ipv6Network(base, prefix)}/${prefix}`)
        if ('problem' in range) throw new Error(range.problem)
        const judge = new BlockList()
        judge.addSubnet(base, prefix, 'ipv6')
        expect(range.value.family).toBe(6)
        expect(range.value.contains(base)).toBe(true)
        expect(range.value.contains(other)).toBe(judge.check(other, 'ipv6'))
      }),
    )
  })

  it('contains no address of the other family', () => {
    const all = [parseCidr('::/0'), parseCidr('0.0.0.0/0')].map(range =>
      'value' in range ? range.value : null,
    )
    expect(all.map(range => range?.contains('198.51.100.7'))).toEqual([false, true])
    expect(all.map(range => range?.contains('::ffff:198.51.100.7'))).toEqual([true, false])
  })

  it.each([
    ['2001:db8::7', 'write 2001:db8::7/128'],
    ['2001:db8::7/64', 'Write 2001:db8::/64 or 2001:db8::7/128'],
    ['2001:db8::/129', 'Write it like 2001:db8:1234::/48'],
    ['2001:db8::/', 'Write it like 2001:db8:1234::/48'],
    ['2001:db8::/-1', 'Write it like 2001:db8:1234::/48'],
    ['2001:db8::/32/8', 'Write it like 2001:db8:1234::/48'],
    ['2001:db8:: /32', 'Write it like 2001:db8:1234::/48'],
    ['fe80::%eth0/64', 'Write it like 2001:db8:1234::/48'],
  ])('is not parsed from %s, and the message says what to write', (text, fix) => {
    expect(parseCidr(text)).toEqual({ problem: expect.stringContaining(fix) })
  })

  it('is written canonically', () => {
    expect(parseCidr('2001:0DB8:0:0::/32')).toMatchObject({ value: { text: '2001:db8::/32', family: 6 } })
  })
})

it.each([
  ['2001:db8:1:2::/64', '2001:db8:1:2::'],
  ['2001:DB8:1:203::/56', '2001:db8:1:203::'],
  ['2001:db8:1:2::7/64', '2001:db8:1:2::'],
  ['2001:db8::/1', '2001:db8::'],
  ['2001:db8::/0', null],
  ['2001:db8::/65', null],
  ['2001:db8::/064', null],
  ['2001:db8::', null],
  ['2001:db8::/', null],
  ['/64', null],
  ['2001:db8::/64/64', null],
  ['198.51.100.0/24', null],
  ['', null],
])('the prefix %j starts the network %j', (text, network) => {
  expect(parseIpv6Prefix(text, 64)).toBe(network)
})
