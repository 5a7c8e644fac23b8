import { afterEach, describe, expect, it } from 'vitest'
import { quote } from '../../lib/quote.ts'
import { maskAddresses, maskSecrets, redact, redactSecrets } from '../../lib/redact.ts'
import { fc, runs } from '../support/random.ts'

const tokenCharacters = [...Array(94).keys()].map(at => String.fromCharCode(0x21 + at))

// The state belongs to the process, so one test runs after the other.
/** Returns the addresses that are told of. */
function toldBy(text: string): readonly string[] {
  const told: string[] = []
  redact(text, address => void told.push(address))
  return told
}

describe('redacting', { concurrent: false }, () => {
  afterEach(() => {
    maskSecrets([])
    maskAddresses(false)
  })

  // Must run first, while the state is still empty.
  it('leaves everything until it is told what to mask', () => {
    expect(redact('8.8.8.8 2a02::7 abcdefgh')).toBe('8.8.8.8 2a02::7 abcdefgh')
    expect(toldBy('8.8.8.8 2a02::7')).toEqual([])
  })

  it('returns the forms of a secret, the plain one first', () => {
    const forms = maskSecrets(['Bearer  a/b"c(d)+e~fgh'])
    expect(forms.slice(0, 2)).toEqual(['a/b"c(d)+e~fgh', 'a%2Fb%22c(d)%2Be~fgh'])
    expect(new Set(forms).size).toBe(forms.length)
    expect(maskSecrets(['abc'])).toEqual(['abc'])
    expect(maskSecrets(['', ' ', 'Bearer', 'bearer '])).toEqual([])
    expect(redact('Bearer of good news')).toBe('Bearer of good news')
  })

  it('masks a part of a URL, unless anyone sees it', () => {
    const path = '/ping/HOME.example.com/8e2cf5a1'
    expect(maskSecrets(['t0ken-t0ken-t0ken'], path, ['home.example.com'])).toContain(path)
    expect(redact(`home.example.com A: ${path.toLowerCase()}/start`)).toBe('home.example.com A: ***/start')
    maskSecrets([], 'home.example.com', ['home.example.com'])
    expect(redact('home.example.com A')).toBe('home.example.com A')
    // The token has no such exception.
    maskSecrets(['home.example.com'], path, ['home.example.com'])
    expect(redact('home.example.com A')).toBe('*** A')
  })

  it('masks a secret that looks like a scheme, a pattern or the beginning of another', () => {
    maskSecrets(['cupbearer', 'a.c', 'abcd', 'abcdefgh', '\\\\', '^$[(-*'])
    expect(redact('cupbearer abc a.c abcdefgh \\\\ ^$[(-*')).toBe('*** abc *** *** *** ***')
  })

  it('takes little time for a text as long as a response may be', () => {
    maskSecrets(['abcdefgh"ijklmnopqrstuvwxyz'])
    maskAddresses(true)
    const before = process.cpuUsage()
    for (const text of ['abcdefgh', 'f', '\\', '1', '1.', ':', 'f:', '1.2.3.4 ']) {
      quote(text.repeat((1024 * 1024) / text.length))
    }
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
  })

  it.each([
    ['at 198.18.100.7.', 'at ***.'],
    ['x198.18.100.7_y', 'x***_y'],
    ['2001:2::1, fe80::1%eth0', '***, ***%eth0'],
    ['2a02:810:11:12:13:14:15:16', '***'],
    ['::ffff:198.51.100.7', '***'],
    ['127.0.0.1:8080 and ::1', '127.0.0.1:8080 and ::1'],
    ['2001:db8::1, 2001:0DB8:1::, 3fff::1, 3fff:fff::1', '2001:db8::1, 2001:0DB8:1::, 3fff::1, 3fff:fff::1'],
    ['203.0.114.1, 2001:db9::1, 3fff:1000::1, a2001:db8::1', '***, ***, ***, ***'],
    ['1.2.3, 12:34:56, a:b, record 372e67954025e0ba', '1.2.3, 12:34:56, a:b, record 372e67954025e0ba'],
  ])('finds every address in %j', (text, shown) => {
    expect(redact(text)).toBe(text)
    expect(toldBy(text)).toEqual([])
    maskAddresses(true)
    expect(redact(text)).toBe(shown)
    expect(toldBy(text).reduce((rest, address) => rest.replaceAll(address, '***'), text)).toBe(shown)
    expect(redactSecrets(text)).toBe(text)
  })

  it('finds a token in every form, whatever its characters and the text around it', () => {
    const token = fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 20, maxLength: 60 })
    const around = fc.string({ maxLength: 200 })
    fc.assert(
      fc.property(token, around, around, (secret, before, after) => {
        maskSecrets([secret])
        for (const form of [secret, secret.toUpperCase(), encodeURIComponent(secret)]) {
          expect(redact(`${before}${form}${after}`)).not.toContain(form)
          expect(quote(`${before}${form}${after}`)).not.toContain(JSON.stringify(form).slice(1, -1))
        }
        for (const text of [secret, `Bearer ${secret}`, `${before}: Bearer ${secret}${after}`]) {
          for (const encoding of ['base64', 'base64url'] as const) {
            const left = Buffer.from(redactSecrets(Buffer.from(text).toString(encoding)), encoding)
            expect(left.toString('latin1')).not.toContain(secret.slice(2, 10))
          }
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
