import { afterEach, describe, expect, it } from 'vitest'
import { quote } from '../../../action/text/quote.ts'
import {
  addressesToMask,
  maskAddresses,
  maskSecrets,
  redact,
  redactSecrets,
} from '../../../action/text/redact.ts'
import { fc, runs } from '../../../sandbox/testing/random.ts'

const tokenCharacters = [...Array(94).keys()].map(at => String.fromCharCode(0x21 + at))

const pinned: readonly [token: string, before: string, after: string][] = [
  // Escaping adds a backslash before the token, or behind it, that the text around it may have as well.
  ['"!!!!!!!!!!!!!!!!!!!!', '\\', ''],
  ['!!!!!!!!!!!!!!!!!!!!\\', '', '\\'],
  // Two places where the token may start overlap.
  ['!!!!!!!!abcdefghijklmnop', '!', ''],
  ['abababab"cdefghijklmnop', 'ab', ''],
]

// The state belongs to the process, so one test runs after the other.
describe('redacting', { concurrent: false }, () => {
  afterEach(() => {
    maskSecrets([])
    maskAddresses(false)
  })

  // Must run first, while the state is still empty.
  it('leaves everything until it is told what to mask', () => {
    expect(redact('8.8.8.8 2a02::7 abcdefgh')).toBe('8.8.8.8 2a02::7 abcdefgh')
    expect(addressesToMask('8.8.8.8 2a02::7')).toEqual([])
  })

  it('finds a truncated token, in the form that matches furthest', () => {
    maskSecrets(['abcdefgh"ijklmnopqrstuvwxyz'])
    expect(redact('x abcdefgh"ijklmnopqr y')).toBe('x *** y')
    expect(redact('x abcdefgh\\"ijklmnopqr y')).toBe('x *** y')
    expect(redact('x abcdefgh\\\\\\"ijklmnopqr y')).toBe('x *** y')
    expect(redact('abcdefghabcdefgh"ijklmnopqrstuvwxyz')).toBe('***')
    expect(redact('abcdefg')).toBe('abcdefg')
  })

  it('finds the end of a token, and its middle, without the beginning', () => {
    maskSecrets(['abcdefgh"ijklmnopqrstuvwxyz', 'second-secret-in-a-url'])
    expect(redact('x ijklmnopqrstuvwxyz y')).toBe('x *** y')
    expect(redact('x stuvwxyz y')).toBe('x *** y')
    expect(redact('x tuvwxyz y')).toBe('x tuvwxyz y')
    expect(redact('…gh\\"ijklmn… and t-in-a-url')).toBe('…***… and ***')
  })

  it('returns every form of a secret, the plain one first', () => {
    const forms = maskSecrets(['Bearer  a/b"c(d)+e~fgh'])
    expect(forms[0]).toBe('a/b"c(d)+e~fgh')
    expect(forms).toContain('a%2Fb%22c(d)%2Be~fgh')
    expect(forms).toContain('a%2Fb%22c%28d%29%2Be~fgh')
    expect(forms).toContain('a/b\\"c(d)+e~fgh')
    expect(forms).toContain('a\\/b\\"c(d)+e~fgh')
    for (const text of ['a/b"c(d)+e~fgh', 'Bearer a/b"c(d)+e~fgh']) {
      expect(forms).toContain(Buffer.from(text).toString('base64'))
      expect(forms).toContain(Buffer.from(text).toString('base64url'))
    }
    expect(new Set(forms).size).toBe(forms.length)
    expect(maskSecrets(['', ' ', 'Bearer', 'bearer '])).toEqual([])
    expect(redact('Bearer of good news')).toBe('Bearer of good news')
  })

  it('returns what base64 of any text around a secret must contain, from eight characters on', () => {
    const forms = maskSecrets(['0123456789'])
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const whole = Buffer.from(`${before}0123456789 and more`).toString('base64')
      expect(forms.some(form => whole.includes(form))).toBe(true)
    }
    // Forms this short occur in any text.
    expect(maskSecrets(['abc']).filter(form => form.length < 4)).toEqual(['abc'])
  })

  it('masks a URL without what its parts have in common with texts that anyone sees', () => {
    const path = '/ping/HOME.example.com/8e2cf5a1-home.example.com'
    const forms = maskSecrets(['t0ken-t0ken-t0ken'], path, ['home.example.com'])
    expect(forms).toContain(path)
    expect(redact('home.example.com A')).toBe('home.example.com A')
    expect(redact('of 8e2cf5a1-h and 8e2cf5a1-home.example.com')).toBe('of *** and ***ample.com')
    // The token has no such exception.
    maskSecrets(['home.example.com'], path, ['home.example.com'])
    expect(redact('home.example.com A')).toBe('*** A')
  })

  it('masks a secret that looks like a scheme or an escape', () => {
    expect(maskSecrets(['cupbearer'])[0]).toBe('cupbearer')
    expect(maskSecrets(['bearer-of-news'])[0]).toBe('bearer-of-news')
    expect(maskSecrets(['a*bcdefgh'])).toContain('a%2Abcdefgh')
    maskSecrets(['\\\\\\'])
    expect(redact('abc')).toBe('abc')
  })

  it('returns a secret in both base64 alphabets, and the shortest inner form', () => {
    const secret = '???abcdefg'
    const [base64, base64url] = (['base64', 'base64url'] as const).map(encoding =>
      Buffer.from(secret).toString(encoding),
    )
    expect(base64).toMatch(/\/.*==$/)
    expect(maskSecrets([secret])).toEqual(expect.arrayContaining([base64, base64url]))
    expect(maskSecrets(['0123456'])).toContain(Buffer.from(' 0123456').toString('base64').slice(2, 10))
  })

  it('masks a secret shorter than eight characters as a whole only', () => {
    maskSecrets(['hidden'])
    expect(redact('x hidden y')).toBe('x *** y')
    expect(redact('x hidde y')).toBe('x hidde y')
  })

  it('masks the backslashes around a match, and no others', () => {
    maskSecrets(['abcdefgh'])
    expect(redact('\\\\abcdefgh\\\\ \\x')).toBe('*** \\x')
    expect(redact('abcdefgh abcdefgh')).toBe('*** ***')
    expect(redact('abcdefghabcdefgh-')).toBe('***-')
    expect(redact('x')).toBe('x')
  })

  it('forgets what it masked before', () => {
    maskSecrets(['abcdefgh'])
    maskSecrets(['ijklmnop'])
    expect(redact('abcdefgh ijklmnop')).toBe('abcdefgh ***')
    maskSecrets([])
    expect(redact('abcdefgh ijklmnop')).toBe('abcdefgh ijklmnop')
  })

  it('finds every address once', () => {
    maskAddresses(true)
    expect(addressesToMask('8.8.8.8, 8.8.8.8, 2a02::7 and 192.0.2.1')).toEqual(['2a02::7', '8.8.8.8'])
    expect(addressesToMask('none, 1.2.3')).toEqual([])
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
    ['1.198.51.100.7', '***'],
    ['2001:2::1, fe80::1%eth0', '***, ***%eth0'],
    ['1:2:3:4:5:6:7:8', '***'],
    ['2a02:810:11:12:13:14:15:16', '***'],
    ['std :: string', 'std :: string'],
    ['127.0.0.1.5', '***'],
    ['127.10.20.30, 192.0.2.10, 198.51.100.10', '127.10.20.30, 192.0.2.10, 198.51.100.10'],
    ['3fff:123::1, 3fff::12', '3fff:123::1, 3fff::12'],
    ['::ffff:198.51.100.7', '***'],
    ['127.0.0.1:8080 and ::1', '127.0.0.1:8080 and ::1'],
    ['192.0.2.1, 198.51.100.0/24, 203.0.113.255', '192.0.2.1, 198.51.100.0/24, 203.0.113.255'],
    ['2001:db8::1, 2001:0DB8:1::, 3fff::1, 3fff:fff::1', '2001:db8::1, 2001:0DB8:1::, 3fff::1, 3fff:fff::1'],
    ['203.0.114.1, 2001:db9::1, 3fff:1000::1, a2001:db8::1', '***, ***, ***, ***'],
    ['1.2.3, 12:34:56, a:b, record 372e67954025e0ba', '1.2.3, 12:34:56, a:b, record 372e67954025e0ba'],
  ])('finds every address in %j', (text, shown) => {
    expect(redact(text)).toBe(text)
    expect(addressesToMask(text)).toEqual([])
    maskAddresses(true)
    expect(redact(text)).toBe(shown)
    expect(addressesToMask(text).reduce((rest, address) => rest.replaceAll(address, '***'), text)).toBe(shown)
    expect(redactSecrets(text)).toBe(text)
  })

  it('finds a token in every form, whatever its characters and the text around it', () => {
    const token = fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 20, maxLength: 60 })
    const around = fc.string({ maxLength: 200 })
    fc.assert(
      fc.property(token, around, around, (secret, before, after) => {
        maskSecrets([secret])
        const json = JSON.stringify(secret).slice(1, -1)
        const twice = JSON.stringify(json).slice(1, -1)
        for (const form of [secret, secret.toUpperCase(), encodeURIComponent(secret), json, twice]) {
          // Without the spaces, a character beside the token can complete a piece of another form, and is masked too.
          expect(redact(`${before} ${form} ${after}`)).toBe(redact(`${before} ${secret} ${after}`))
          const quoted = quote(`${before}${form}${after}`)
          for (let start = 0; start + 8 <= form.length; start++) {
            expect(quoted).not.toContain(JSON.stringify(form.slice(start, start + 8)).slice(1, -1))
          }
        }
        for (const text of [secret, `Bearer ${secret}`, `${before}: Bearer ${secret}${after}`]) {
          for (const encoding of ['base64', 'base64url'] as const) {
            const left = Buffer.from(redactSecrets(Buffer.from(text).toString(encoding)), encoding)
            expect(left.toString('latin1')).not.toContain(secret.slice(2, 10))
          }
        }
      }),
      { numRuns: runs(300), examples: pinned.map(example => [...example]) },
    )
  })
})
