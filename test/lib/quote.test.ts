import { isIPv6 } from 'node:net'
import { describe, expect, it } from 'vitest'
import { quote } from '../../lib/quote.ts'
import { codePoint, fc, runs } from '../support/random.ts'

describe('quoted remote text', () => {
  it('is one line of printable ASCII that starts no workflow command', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.string({ unit: codePoint, maxLength: 3 }),
        fc.constantFrom(...':: ##[ # [ \n \r %0A \u2028 \u202e \u001b[31m " \\'.split(' ')),
      ),
    })
    fc.assert(
      fc.property(hostile, text => {
        const shown = quote(text)
        expect(shown).toMatch(/^"[\x20-\x7e]*$/)
        expect(shown).not.toContain('##[')
        const words = shown.split(/[\s"',()]/)
        expect(words.filter(word => word.includes('::') && !isIPv6(word.replace(/\/\d+$/, '')))).toEqual([])
      }),
      { numRuns: runs(120) },
    )
  })

  it('shows IPv6 addresses as they are, and no command that looks like one', () => {
    expect(quote('2001:db8::5')).toBe('"2001:db8::5"')
    expect(quote('name ::1:2/64')).toBe('"name ::1:2/64"')
    for (const command of ['::add-mask::dead', '::dead::beef', '::1%::a', '\n::add-mask::1', '::', 'a::b::'])
      expect(quote(command)).not.toContain('::')
  })

  it('says that it was truncated', () => {
    expect(quote('x'.repeat(5000))).toBe(`"${'x'.repeat(160)}" (truncated, 5000 characters)`)
  })
})
