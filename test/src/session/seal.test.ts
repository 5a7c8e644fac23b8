import { describe, expect, it } from 'vitest'
import { nodeCryptography } from '../../../src/node/node-cryptography.ts'
import { webCryptography } from '../../../src/session/cryptography.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { createSealer, type Purpose } from '../../../src/session/seal.ts'
import { decodeBase64url, encodeBase64url } from '../../../src/settings/base64url.ts'
import { readSessionKeys } from '../../../src/settings/session-keys.ts'
import { codePoint, fc } from '../../support/random.ts'

const [first, second] = [createSessionKey(new Date()), createSessionKey(new Date())]
function keysOf(...texts: string[]) {
  const reading = readSessionKeys(texts.join(','))
  return 'value' in reading ? reading.value : []
}
const purpose = fc.constantFrom<Purpose>('transaction', 'session')
const both = [
  { by: 'WebCrypto', cryptography: webCryptography },
  { by: 'node:crypto', cryptography: nodeCryptography },
]

const isWellFormed = (text: string) => text.isWellFormed()

/** A fixed key, for a text that an earlier version encrypted. */
const fixed = { kid: 'k', bytes: Uint8Array.from({ length: 32 }, (_, index) => index) }

describe.each(both)('text sealed with $by', ({ cryptography }) => {
  const sealerOf = (...keys: string[]) => createSealer(keysOf(...keys), cryptography)
  const sealer = sealerOf(first)

  it('opens as the text that was sealed, on either runtime, so that both can serve one site', async () => {
    const others = both.map(({ cryptography }) => createSealer(keysOf(first), cryptography))
    const text = fc.string({ unit: codePoint, maxLength: 500 })
    await fc.assert(
      fc.asyncProperty(purpose, text, fc.string().filter(isWellFormed), async (use, text, context) => {
        const sealed = await sealer.seal(use, text, context)
        for (const other of others) expect(await other.open(use, sealed, context)).toBe(text)
      }),
    )
  })

  it('does not open with a flipped bit', async () => {
    const [kid, body = ''] = (await sealer.seal('session', 'text')).split('.')
    const bytes = decodeBase64url(body) ?? new Uint8Array()
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const forged = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      expect(await sealer.open('session', `${kid}.${encodeBase64url(forged)}`)).toBeNull()
    }
    expect(bytes).toHaveLength(32)
  })

  it('does not open for another purpose, in another context or under another key', async () => {
    const sealed = await sealer.seal('transaction', 'text', 'here')
    expect(await sealer.open('session', sealed, 'here')).toBeNull()
    expect(await sealer.open('transaction', sealed, 'there')).toBeNull()
    expect(await sealer.open('transaction', sealed)).toBeNull()
    expect(await sealerOf(second).open('transaction', sealed, 'here')).toBeNull()
    // The key's name is authenticated too, so the same bytes under another name do not open it.
    const renamed = `other:${first.split(':')[1]}`
    const body = sealed.slice(sealed.indexOf('.') + 1)
    expect(await sealerOf(renamed).open('transaction', `other.${body}`, 'here')).toBeNull()
  })

  it('is encrypted with the first key, and opens with any', async () => {
    const old = await sealer.seal('session', 'text')
    const rotated = sealerOf(second, first)
    expect(await rotated.open('session', old)).toBe('text')
    expect((await rotated.seal('session', 'text')).split('.')[0]).toBe(second.split(':')[0])
  })

  it('opens if an earlier version encrypted it, so an upgrade signs nobody out', async () => {
    const earlier = 'k.-anFrJHrBl0_9RYMhqddp1srCLYPlhZSZQkvSCWrPWunanjSfdbphQr36zM'
    const opened = await createSealer([fixed], cryptography).open('session', earlier, 'here')
    expect(opened).toBe('who is signed in')
  })

  it('opens up to the 4096 characters that browsers keep, and not beyond', async () => {
    const { seal, open } = createSealer([fixed], cryptography)
    const [longest, longer] = [
      await seal('session', 'x'.repeat(3042)),
      await seal('session', 'x'.repeat(3043)),
    ]
    expect([longest.length, longer.length]).toEqual([4096, 4097])
    expect(await open('session', longest)).toHaveLength(3042)
    expect(await open('session', longer)).toBeNull()
  })

  it('opens neither shorter nor longer, nor in another form', async () => {
    const sealed = await sealer.seal('session', '')
    const [kid, body = ''] = sealed.split('.')
    const cut = Array.from(sealed, (_, length) => [sealed.slice(0, length), sealed.slice(length + 1)]).flat()
    const extended = [`${sealed}A`, `A${sealed}`, `${sealed}=`, ` ${sealed}`, `${kid}.${body.repeat(110)}`]
    for (const forged of [...cut, ...extended, `other.${body}`, `${kid}.${body.replace(/./, '+')}`])
      expect(await sealer.open('session', forged), forged).toBeNull()
    expect(await sealer.open('session', sealed)).toBe('')
  })
})

describe('base64url', () => {
  it('decodes only the canonical encoding of some bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), bytes => {
        const text = encodeBase64url(bytes)
        expect(text).toMatch(/^[\w-]*$/)
        expect([...(decodeBase64url(text) ?? [])]).toEqual([...bytes])
      }),
    )
    for (const text of ['A', 'AB', 'AAB', 'A=', 'A A', '+A', 'AAAAA'])
      expect(decodeBase64url(text)).toBeNull()
  })
})
