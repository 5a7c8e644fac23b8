import { describe, expect, it } from 'vitest'
import { fitsCookie, readCookie, sessionCookie, writeCookie } from '../../../src/http/cookies.ts'
import { lookalikePrefixes, otherCookieNames } from '../../support/forgeries.ts'

describe('reading a cookie', () => {
  it('takes none under another name, or with a look-alike of nothing in front, and finds the real one beside it', () => {
    const planted = lookalikePrefixes.flatMap(prefix => [
      `${prefix}${sessionCookie}`,
      `${Buffer.from(prefix, 'latin1')}${sessionCookie}`,
    ])
    for (const name of [...planted, ...otherCookieNames]) {
      expect(readCookie(`${name}=planted`, sessionCookie), name).toBeNull()
      expect(readCookie(`${name}=planted; ${sessionCookie}=a`, sessionCookie), name).toBe('a')
    }
  })

  it('trims spaces and tabs around a cookie, however many, and none inside', () => {
    for (const blank of ['', ' ', '\t', ' \t ', '\t\t']) {
      const header = `other=1;${blank}${sessionCookie}=a b\tc${blank};x=2`
      expect(readCookie(header, sessionCookie)).toBe('a b\tc')
      expect(readCookie(`${blank}${sessionCookie}=a${blank}`, sessionCookie)).toBe('a')
    }
    for (const other of ['\v', '\f', '\n', '\u2000']) {
      expect(readCookie(`${other}${sessionCookie}=a`, sessionCookie)).toBeNull()
      expect(readCookie(`${sessionCookie}=a${other}`, sessionCookie)).toBe(`a${other}`)
    }
  })

  it('refuses a name that is sent twice, since one of them is not ours', () => {
    expect(readCookie(`${sessionCookie}=a; ${sessionCookie}=b`, sessionCookie)).toBeNull()
    expect(readCookie(`${sessionCookie}=a; ${sessionCookie}=a`, sessionCookie)).toBeNull()
    expect(readCookie(`${sessionCookie}=a; ${sessionCookie}=`, sessionCookie)).toBeNull()
  })
})

describe('a Set-Cookie value', () => {
  const attributes = 'Secure; HttpOnly; SameSite=Lax'

  it('ASVS 5.0 3.3.1 to 3.3.5: keeps scripts and other sites out, and rounds its lifetime up to whole seconds', () => {
    for (const [ms, seconds] of [
      [0, 0],
      [1, 1],
      [1000, 1],
      [1001, 2],
      [3_600_000, 3600],
    ] as const) {
      const expected = `__Host-homeport-session=a.b; Path=/; Max-Age=${seconds}; ${attributes}`
      expect(writeCookie(sessionCookie, 'a.b', ms)).toBe(expected)
    }
  })

  it('fits if name and value are at most 4096 bytes, whatever the attributes take', () => {
    const ofLength = (bytes: number) =>
      writeCookie(sessionCookie, 'a'.repeat(bytes - sessionCookie.length - 1), 1)
    expect(fitsCookie(ofLength(4096))).toBe(true)
    expect(fitsCookie(ofLength(4097))).toBe(false)
  })
})
