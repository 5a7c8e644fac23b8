import { describe, expect, it } from 'vitest'
import { isPlain, lookupNames } from '../../../src/employees/user-names.ts'
import { type IdentityRules, readIdentity } from '../../../src/sign-in/identity.ts'
import { codePoint, fc, runs } from '../../support/random.ts'

const rules = { allowedDomains: ['example.com', 'example.org'], allowGuests: false }
const guests = { ...rules, allowGuests: true }
const anyDomain = { ...rules, allowedDomains: null }
/** Reads the identity of a profile with these addresses. */
const read = (mail: string | null, userPrincipalName = 'alice@example.com', by: IdentityRules = rules) =>
  readIdentity({ id: 'id', mail, userPrincipalName }, by)

describe('the user name of a profile', () => {
  it('is the local part of Mail, else of UserPrincipalName', () => {
    expect(read('bob@example.com')).toEqual({
      kind: 'identity',
      objectId: 'id',
      username: 'bob',
      bindsByName: true,
      otherName: 'alice',
    })
    for (const none of [null, '']) expect(read(none)).toMatchObject({ username: 'alice' })
    expect(read('bob@EXAMPLE.com')).toMatchObject({ username: 'bob' })
  })

  it('can bind by name only in the primary domain, and never for guests', () => {
    expect(read('bob@example.org')).toMatchObject({ bindsByName: false })
    const own = 'bob@example.com'
    const guest = 'bob_out.test#EXT#@example.com'
    for (const [mail, name] of [
      [own, guest],
      [own, guest.toLowerCase()],
      [guest, own],
    ] as const) {
      expect(read(mail, name)).toEqual({ kind: 'refused', code: 'guest-not-allowed' })
      expect(read(mail, name, guests)).toMatchObject({ bindsByName: false })
    }
    expect(read(own, guest, guests)).toMatchObject({ username: 'bob' })
    const outside = read('bob@anywhere.test', undefined, anyDomain)
    expect(outside).toMatchObject({ username: 'bob', bindsByName: true })
  })

  it('is refused outside the allowed domains, whatever the address looks like', () => {
    const alike = ['\uff45xample.com', 'ex\u0430mple.com', 'example\u3002com']
    const near = ['EXAMPLE.COM.', 'xample.com', '', 'example.co', 'example.com ', 'a.example.com']
    for (const domain of [...alike, ...near, 'example.com@example.com'])
      expect(read(`alice@${domain}`).kind, domain).toBe('refused')
  })

  it('is the whole address without an @, if any domain is allowed', () => {
    expect(read('alice')).toMatchObject({ code: 'domain-not-allowed' })
    expect(read('alice', undefined, anyDomain)).toMatchObject({ username: 'alice' })
  })

  it.each([
    ['two @', 'a@b@example.com', 'domain-not-allowed'],
    ['no local part', '@example.com', 'not-in-system'],
    ['a space', 'al ice@example.com', 'not-in-system'],
    ['a right-to-left override', 'ali\u202ece@example.com', 'not-in-system'],
    ['a lone surrogate', 'ali\ud800ce@example.com', 'not-in-system'],
    ['a Cyrillic letter among Latin ones', '\u0430lice@example.com', 'not-in-system'],
    ['a full-width letter', '\uff41lice@example.com', 'not-in-system'],
    ['the Kelvin sign', '\u212aate@example.com', 'not-in-system'],
    ['321 characters', `${'a'.repeat(309)}@example.com`, 'not-in-system'],
  ])('is refused with %s', (_, mail, code) => {
    expect(read(mail)).toEqual({ kind: 'refused', code })
  })

  it('can use any one script', () => {
    for (const name of ['jos\u00e9', 'jose\u0301', '\u0438\u0432\u0430\u043d', '\u5c71\u7530', "a1_b-c.d+e'"])
      expect(isPlain(`${name}@example.com`), name).toBe(true)
  })
})

describe('the other name of a profile', () => {
  function otherName(mail: string | null, userPrincipalName: string) {
    const reading = read(mail, userPrincipalName)
    return reading.kind === 'identity' ? reading.otherName : reading.code
  }

  it('is the one in the principal name if Mail gives another', () => {
    expect(otherName('boss@example.com', 'intern@example.com')).toBe('intern')
    expect(otherName('boss@example.com', 'Intern@example.com@example.com')).toBe('Intern')
    expect(otherName('boss@example.com', 'intern')).toBe('intern')
  })

  it('is nothing if both names are the same, in any case and composition', () => {
    expect(otherName('alice@example.com', 'alice@example.onmicrosoft.com')).toBeNull()
    expect(otherName('alice@example.com', 'ALICE@example.com')).toBeNull()
    expect(otherName('jos\u00e9@example.com', 'JOSE\u0301@example.com')).toBeNull()
    expect(otherName(null, 'alice@example.com')).toBeNull()
  })

  it('is nothing if it cannot be a user name: empty, or with look-alike characters', () => {
    for (const name of ['', 'in tern', 'inter\u200bn', '\u0430lice'])
      expect(otherName('boss@example.com', `${name}@example.com`)).toBeNull()
  })
})

describe('the names to look up', () => {
  it('include other cases and compositions, up to a limit', () => {
    expect(lookupNames('Alice')).toEqual(['alice'])
    expect(lookupNames('\u00c9va')).toEqual(
      expect.arrayContaining(['\u00e9va', 'e\u0301va', '\u00c9va', 'E\u0301va']),
    )
    // SQLite's lower() leaves the capitals of a stored name as they are.
    expect(lookupNames('zo\u00eb.\u00e9')).toEqual(
      expect.arrayContaining(['zo\u00cb.\u00e9', 'zo\u00eb.\u00c9', 'zo\u00cb.\u00c9']),
    )
    expect(lookupNames('\u00e9'.repeat(300)).length).toBeLessThanOrEqual(6)
  })

  it('include the name itself in ASCII lower case, and fit one D1 statement', () => {
    const cased = [...'éÉßİıſςΣдДǅ\u0130\u0307\u0301\u212b-.aZ']
    const name = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 320 }),
      fc.string({ unit: fc.constantFrom(...cased), maxLength: 320 }),
      // Short names have the most spellings: long ones get only some.
      fc.string({ unit: fc.constantFrom(...cased), maxLength: 10 }),
    )
    fc.assert(
      fc.property(name, username => {
        const names = lookupNames(username)
        expect(names).toContain(username.replace(/[A-Z]/g, letter => letter.toLowerCase()))
        // D1 takes a hundred parameters, and the account is one of them.
        expect(names.length).toBeLessThanOrEqual(99)
        expect(new Set(names).size).toBe(names.length)
      }),
      { numRuns: runs(500) },
    )
  })
})
