import { describe, expect, it } from 'vitest'
import { quote } from '../../../action/report/quote.ts'
import { fc, runs } from '../../support/random.ts'

describe('quoted remote text', () => {
  it('is one line of printable ASCII that starts no workflow command', () => {
    const hostile = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', maxLength: 3 }),
        fc.constantFrom(
          '::',
          '##[',
          '#',
          '[',
          '\n',
          '\r',
          '%0A',
          '\u2028',
          '\u202e',
          '\u001b[31m',
          '"',
          '\\',
        ),
      ),
    })
    fc.assert(
      fc.property(hostile, text => {
        const shown = quote(text)
        expect(shown).toMatch(/^"[\x20-\x7e]*$/)
        expect(shown).not.toContain('##[')
        expect(shown).not.toContain('::')
      }),
      { numRuns: runs(3000) },
    )
  })

  it('says that it was truncated', () => {
    expect(quote('x'.repeat(5000))).toBe(`"${'x'.repeat(160)}" (truncated, 5000 characters)`)
  })
})
