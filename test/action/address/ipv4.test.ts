import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { cloudflareRangeOf, specialPurposeOf } from '../../../action/address/check.ts'
import { parseCidr } from '../../../lib/ip-address.ts'
import { fc } from '../../../sandbox/testing/random.ts'

describe('the special-purpose table', () => {
  it.each([
    ['0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.31.196.0', '192.31.196.255', '192.31.197.0'],
    ['192.52.193.0', '192.52.193.255', '192.52.194.0'],
    ['192.88.99.0', '192.88.99.255', '192.88.100.0'],
    ['192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['192.175.48.0', '192.175.48.255', '192.175.49.0'],
    ['198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.113.0', '203.0.113.255', '203.0.114.0'],
  ])('contains %s to %s but not %s', (first, last, next) => {
    expect(specialPurposeOf(first)).toMatch(/RFC \d+/)
    expect(specialPurposeOf(last)).toBe(specialPurposeOf(first))
    expect(specialPurposeOf(next)).toBeNull()
  })

  it('contains multicast, class E and broadcast', () => {
    for (const address of ['224.0.0.1', '239.255.255.255']) {
      expect(specialPurposeOf(address)).toBe('multicast (RFC 5771), in 224.0.0.0/4')
    }
    for (const address of ['240.0.0.1', '255.255.255.255']) {
      expect(specialPurposeOf(address)).toBe('reserved or broadcast (RFC 1112, RFC 919), in 240.0.0.0/4')
    }
    expect(specialPurposeOf('223.255.255.255')).toBeNull()
  })

  it.each([
    '8.8.8.8',
    '100.63.255.255',
    '172.15.255.255',
    '192.0.1.255',
    '198.17.255.255',
    '126.255.255.255',
  ])('does not contain %s', address => {
    expect(specialPurposeOf(address)).toBeNull()
  })
})

describe("the ranges of Cloudflare's proxy", () => {
  it('contain its addresses but not their neighbours', () => {
    expect(cloudflareRangeOf('104.18.0.0')).toBe('104.16.0.0/13')
    expect(cloudflareRangeOf('104.27.1.1')).toBe('104.24.0.0/14')
    expect(cloudflareRangeOf('172.71.255.255')).toBe('172.64.0.0/13')
    expect(cloudflareRangeOf('104.15.255.255')).toBeNull()
    expect(cloudflareRangeOf('172.72.0.0')).toBeNull()
  })
})

describe('a CIDR range', () => {
  it('contains the addresses of its prefix, from /0 to /32', () => {
    const address = fc.ipV4()
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), (base, other, prefix) => {
        const suggested = parseCidr(`${base}/${prefix}`)
        const text =
          'problem' in suggested ? /Write (\S+) or/.exec(suggested.problem)?.[1] : suggested.value.text
        const range = parseCidr(text ?? '')
        if ('problem' in range) throw new Error(`${text} was suggested for ${base}/${prefix} but is refused`)
        const judge = new BlockList()
        judge.addSubnet(base, prefix)
        expect(range.value.contains(base)).toBe(true)
        expect(range.value.contains(other)).toBe(judge.check(other))
      }),
    )
  })

  it.each([
    ['203.0.113.7', 'write 203.0.113.7/32'],
    ['203.0.113.7/24', 'Write 203.0.113.0/24 or 203.0.113.7/32'],
    ['203.0.113.0/33', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/024', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/-1', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/24/8', 'Write it like 203.0.113.0/24'],
    [' 203.0.113.0/24', 'Write it like 203.0.113.0/24'],
    ['home.example.com', 'Write it like 203.0.113.0/24'],
  ])('is not parsed from %s, and the message says what to write', (text, fix) => {
    expect(parseCidr(text)).toEqual({ problem: expect.stringContaining(fix) })
  })
})
