import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ipv6Network, parseCidr, parseIpv4, parseIpv6 } from '../../lib/ip-address.ts'
import { expectValue } from '../support/expect-value.ts'
import { fc, runs } from '../support/random.ts'

describe('an IPv4 address', () => {
  it.each(['0.0.0.0', '255.255.255.255', ' \t 203.0.113.7 \r\n '])('is parsed from %j', text => {
    expect(parseIpv4(text)).toBe(text.trim())
  })

  it.each([
    ['octal', '010.8.8.8'],
    ['hex', '0x8.8.8.8'],
    ['trailing dot', '8.8.8.8.'],
    ['full-width digits', '８.8.8.8'],
    ['no-break space', '\u00a08.8.8.8'],
    ['a space inside', '8.8. 8.8'],
    ['two lines', '8.8.8.8\n8.8.4.4'],
    ['out of range', '256.1.1.1'],
    ['empty', ''],
  ])('is not parsed from %s', (_, text) => {
    expect(parseIpv4(text)).toBeNull()
  })
})

describe('an IPv6 address', () => {
  // Examples of RFC 5952, sections 2 and 4.
  it.each([
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['0000:0000:0000:0000:0000:ffff:255.255.255.255', '::ffff:255.255.255.255'],
    ['0:0:0:0:0:0:0:0', '::'],
    [' \t 2001:db8::7 \n ', '2001:db8::7'],
  ])('is written as RFC 5952 requires: %j becomes %s', (text, canonical) => {
    expect(parseIpv6(text)).toBe(canonical)
  })

  it.each([
    ['a zone id', 'fe80::1%eth0'],
    ['two lines', '2001:db8::1\n2001:db8::2'],
    ['two runs of zeros', '2001::db8::1'],
    ['nine groups', '1:2:3:4:5:6:7:8:9'],
    ['a run of no groups', '1:2:3:4:5:6:7:8::'],
    ['five digits', '2001:db8::12345'],
    ['octal in its IPv4 part', '::ffff:010.8.8.8'],
    ['an IPv4 part in the middle', '::192.0.2.1:1'],
    ['full-width digits', '２001:db8::1'],
    ['empty', ''],
    ['a long text', '0'.repeat(100_000)],
  ])('is not parsed from %s', (_, text) => {
    expect(parseIpv6(text)).toBeNull()
  })

  it('keeps its value, however it was written', () => {
    fc.assert(
      fc.property(fc.ipV6(), text => {
        const canonical = parseIpv6(text)
        if (canonical === null) throw new Error(`${text} is refused`)
        expect(canonical).toMatch(/^[0-9a-f:.]+$/)
        expect(parseIpv6(canonical.toUpperCase())).toBe(canonical)
        // The URL standard serialises as RFC 5952 does, except for mapped addresses.
        expect(new URL(`http://[${canonical}]`).hostname).toBe(new URL(`http://[${text}]`).hostname)
        if (!canonical.includes('.')) expect(new URL(`http://[${text}]`).hostname).toBe(`[${canonical}]`)
      }),
      { numRuns: runs(500) },
    )
  })
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
          const range = expectValue(parseCidr(cidr))
          const judge = new BlockList()
          judge.addSubnet(base, prefix, family)
          expect(range.contains(base)).toBe(true)
          expect(range.contains(other)).toBe(judge.check(other, family))
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
    ['home.example.com', 'Write it like 203.0.113.0/24'],
    ['203.0.113.7/24', 'Write 203.0.113.0/24 or 203.0.113.7/32'],
    ['203.0.113.0/33', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/024', 'Write it like 203.0.113.0/24'],
    ['203.0.113.0/24/8', 'Write it like 203.0.113.0/24'],
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
