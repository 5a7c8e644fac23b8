import { describe, expect, it } from 'vitest'
import { type Ipv6Suffix, parseSuffix, withSuffix } from '../../../action/address/suffix.ts'
import { ipv6Network, parseIpv6 } from '../../../lib/ip-address.ts'
import { fc } from '../../../sandbox/testing/random.ts'

function suffixOf(text: string): Ipv6Suffix {
  const suffix = parseSuffix(text)
  if ('problem' in suffix) throw new Error(suffix.problem)
  return suffix.value
}

describe('an IPv6 suffix', () => {
  it.each([
    ['::1:2:3:4/64', '2001:db8:a:b:1:2:3:4'],
    ['::7/64', '2001:db8:a:b::7'],
    ['0:0:0:0:0:0:0:7/64', '2001:db8:a:b::7'],
    ['::5:0:0:0:7/48', '2001:db8:a:5::7'],
    ['::ff:0:0:0:1/56', '2001:db8:a:ff::1'],
    ['::1/127', '2001:db8:a:b:c:d:e:f'],
  ])('%s is appended to the prefix', (text, expected) => {
    expect(withSuffix('2001:db8:a:b:c:d:e:f', suffixOf(text))).toBe(expected)
  })

  it.each([
    ['::1:2:3:4', /with its prefix length/],
    ['/64', /with its prefix length/],
    ['::1/0', /with its prefix length/],
    ['::1/128', /with its prefix length/],
    ['::1/64/64', /with its prefix length/],
    ['::1/ 64', /with its prefix length/],
    ['::5/064', /with its prefix length/],
    ['1.2.3.4/24', /with its prefix length/],
    ['::1%eth0/64', /with its prefix length/],
    ['::/64', /names no host/],
    ['2001:db8::1/64', /has bits inside its prefix of 64 bits/],
    ['::1:0:0:0:1/64', /has bits inside its prefix of 64 bits/],
    ['8000::/1', /has bits inside its prefix of 1 bits/],
  ])('%s is refused', (text, problem) => {
    expect(parseSuffix(text)).toEqual({ problem: expect.stringMatching(problem) })
  })

  it('keeps every bit of the prefix, and sets every bit after it', () => {
    const address = fc.ipV6().map(text => parseIpv6(text) ?? '')
    fc.assert(
      fc.property(
        address,
        address,
        address,
        fc.integer({ min: 1, max: 127 }),
        (first, second, other, length) => {
          const suffix = { host: hostPart(other, length), prefixLength: length }
          const composed = withSuffix(first, suffix)
          expect(ipv6Network(composed, length)).toBe(ipv6Network(first, length))
          expect(hostPart(composed, length)).toBe(suffix.host)
          expect(withSuffix(composed, suffix)).toBe(composed)
          expect(withSuffix(second, suffix) === composed).toBe(
            ipv6Network(first, length) === ipv6Network(second, length),
          )
        },
      ),
    )
  })
})

/** Returns the bits after a prefix: bit by bit over the expanded text, unlike the code under test. */
function hostPart(address: string, prefixLength: number): string {
  const digits = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = '', tail] = digits.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const all = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  const binary = all.map(group => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('')
  const host = `${'0'.repeat(prefixLength)}${binary.slice(prefixLength)}`
  const grouped = host.match(/.{16}/g) ?? []
  return parseIpv6(grouped.map(bits => Number.parseInt(bits, 2).toString(16)).join(':')) ?? ''
}
