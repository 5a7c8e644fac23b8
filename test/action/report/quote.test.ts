import { describe, expect, it } from 'vitest'
import { quote } from '../../../action/report/quote.ts'
import { fc, runs } from '../../support/random.ts'

describe('quoted remote text', () => {
  it('is one line of printable ASCII that starts no workflow command, whatever it was', () => {
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

  it('tells its reader that it was cut', () => {
    expect(quote('x'.repeat(5000))).toBe(`"${'x'.repeat(160)}" (cut, 5000 characters)`)
  })
})
