import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { cloudflareRangeOf, specialPurposeOf } from '../../../action/address/check.ts'
import { parseIpv6Prefix } from '../../../action/address/suffix.ts'
import { ipv6Network, parseCidr, parseIpv6 } from '../../../lib/ip-address.ts'
import { fc } from '../../../sandbox/testing/random.ts'

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
  ['104.18.0.0', '104.16.0.0/13'],
  ['104.27.1.1', '104.24.0.0/14'],
  ['172.71.255.255', '172.64.0.0/13'],
  ['131.0.75.255', '131.0.72.0/22'],
  ['2606:4700:4700::1111', '2606:4700::/32'],
  ['2a06:98c7:ffff::1', '2a06:98c0::/29'],
  ['2c0f:f248::1', '2c0f:f248::/32'],
  ['104.15.255.255', null],
  ['172.72.0.0', null],
  ['2606:4701::1', null],
  ['2a06:98c8::1', null],
])("the range of Cloudflare's proxy around %s is %s", (address, range) => {
  expect(cloudflareRangeOf(address)).toBe(range)
})

describe('a CIDR range', () => {
  it('contains the addresses of its prefix, of any length', () => {
    const ipv6 = fc.ipV6().map(text => parseIpv6(text) ?? '')
    const lengths = fc.integer({ min: 0, max: 128 })
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), ipv6, ipv6, lengths, (base4, other4, base6, other6, length) => {
        const suggested = parseCidr(`${base4}/${length >> 2}`)
        const text =
          'problem' in suggested ? /Write (\S+) or/.exec(suggested.problem)?.[1] : suggested.value.text
        for (const [cidr, family, prefix, base, other] of [
          [text ?? '', 'ipv4', length >> 2, base4, other4],
          [`${ipv6Network(base6, length)}/${length}`, 'ipv6', length, base6, other6],
        ] as const) {
          const range = parseCidr(cidr)
          if ('problem' in range) throw new Error(`${cidr} is refused`)
          const judge = new BlockList()
          judge.addSubnet(base, prefix, family)
          expect(range.value.contains(base)).toBe(true)
          expect(range.value.contains(other)).toBe(judge.check(other, family))
        }
      }),
    )
  })

  it('contains no address of the other family', () => {
    const all = ['::/0', '0.0.0.0/0'].map(text => parseCidr(text))
    const containing = (address: string) =>
      all.map(range => 'value' in range && range.value.contains(address))
    expect(containing('198.51.100.7')).toEqual([false, true])
    expect(containing('::ffff:198.51.100.7')).toEqual([true, false])
  })

  it.each([
    ['203.0.113.7', 'write 203.0.113.7/32'],
    ['203.0.113.7/24', 'Write 203.0.113.0/24 or 203.0.113.7/32'],
    ['203.0.113.0/33', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/024', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/24/8', 'Write it like 203.0.113.0/24'],
    ['home.example.com', 'Write it like 203.0.113.0/24'],
    ['2001:db8::7', 'write 2001:db8::7/128'],
    ['2001:db8::7/64', 'Write 2001:db8::/64 or 2001:db8::7/128'],
    ['2001:db8::/129', 'Write it like 2001:db8:1234::/48'],
    ['fe80::%eth0/64', 'Write it like 2001:db8:1234::/48'],
  ])('is not parsed from %s, and the message says what to write', (text, fix) => {
    expect(parseCidr(text)).toEqual({ problem: expect.stringContaining(fix) })
  })

  it('is written canonically', () => {
    expect(parseCidr('2001:0DB8:0:0::/32')).toMatchObject({ value: { text: '2001:db8::/32', family: 6 } })
  })
})

it.each([
  ['2001:DB8:1:203::/56', '2001:db8:1:203::'],
  ['2001:db8:1:2::7/64', '2001:db8:1:2::'],
  ['2001:db8::/1', '2001:db8::'],
  ['2001:db8::/0', null],
  ['2001:db8::/65', null],
  ['2001:db8::/064', null],
  ['2001:db8::', null],
  ['/64', null],
  ['2001:db8::/64/64', null],
  ['198.51.100.0/24', null],
])('the prefix %j starts the network %j', (text, network) => {
  expect(parseIpv6Prefix(text, 64)).toBe(network)
})
