import { createECDH, hkdfSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hostsOf } from '../../../src/http/hosts.ts'
import { createAssertions } from '../../../src/session/assertion.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import type { Session } from '../../../src/session/session.ts'
import { readSessionKeys } from '../../../src/settings/session-keys.ts'
import { readAssertion, verifyAssertion } from '../../support/assertion.ts'
import { startInProcess } from '../support/in-process.ts'

const [first, second] = [createSessionKey(new Date()), createSessionKey(new Date())]
const [kid, secret = ''] = first.split(':')
const reading = readSessionKeys(`${first},${second}`)
if (!('value' in reading)) throw new Error('The keys cannot be read.')
const sessionKeys = reading.value
const start = Date.parse('2026-11-26T09:00:00Z')
const hour = 3_600_000
const [host, other] = hostsOf([
  'https://people.example.com/in/auth/callback',
  'https://wiki.example.com/in/auth/callback',
]) as [ReturnType<typeof hostsOf>[0], ReturnType<typeof hostsOf>[0]]
const user = { username: 'zoë', resourceId: 'E7', isAdmin: false }
const session = { id: 's1', issuedAt: start, expiresAt: start + 8 * hour } as Session

function open(rules: { idleMs?: number; recheckMs?: number } = {}) {
  const clock = { now: start }
  const fixed = { lifetimeMs: 8 * hour, idleMs: null, now: () => clock.now }
  const assertions = createAssertions(sessionKeys, '/in', { ...fixed, ...rules })
  return { clock, of: assertions.assertionOf, keys: assertions.publicKeys }
}

describe('an assertion', () => {
  it('says who is signed in, where and until when', async () => {
    const { of, keys } = open()
    const token = await of(session, user, host, 'zoe@example.com')
    const { header, claims } = readAssertion(token)
    expect(header).toEqual({ alg: 'ES256', typ: 'JWT', kid })
    expect(claims).toEqual({
      iss: 'https://people.example.com/in',
      aud: 'https://people.example.com',
      sub: 'E7',
      username: 'zoë',
      isAdmin: false,
      email: 'zoe@example.com',
      iat: start / 1000,
      exp: start / 1000 + 300,
    })
    expect(verifyAssertion(token, await keys())).toBe(true)
    expect(readAssertion(await of(session, user, other, null)).claims).toMatchObject({
      iss: 'https://wiki.example.com/in',
      aud: 'https://wiki.example.com',
    })
  })

  it('is signed by the key that HKDF and a reduction make of the session key', async () => {
    const key = Buffer.from(secret, 'base64url')
    const seed = Buffer.from(hkdfSync('sha256', key, '', 'homeport assertion 1', 48)).toString('hex')
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(((BigInt(`0x${seed}`) % (order - 1n)) + 1n).toString(16).padStart(64, '0'), 'hex')
    const point = ecdh.getPublicKey()
    const { keys } = await open().keys()
    expect(keys).toMatchObject([
      {
        kid,
        kty: 'EC',
        crv: 'P-256',
        use: 'sig',
        alg: 'ES256',
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
      { kid: second.split(':')[0] },
    ])
    expect(JSON.stringify(keys)).not.toContain('"d"')
  })

  it('is signed once a minute, and anew for another claim, host or session', async () => {
    const { clock, of } = open()
    const first = await of(session, user, host, null)
    clock.now += 59_000
    expect(await of(session, user, host, null)).toBe(first)
    const others = [
      await of(session, { ...user, isAdmin: true }, host, null),
      await of(session, user, other, null),
      await of({ ...session, id: 's2' }, user, host, null),
    ]
    clock.now += 60_000
    others.push(await of(session, user, other, null))
    expect(new Set([first, ...others]).size).toBe(5)
  })

  it('never outlives the session, nor a shorter SESSION_LIFETIME', async () => {
    const { clock, of } = open()
    clock.now = session.expiresAt - 10_000
    expect(readAssertion(await of(session, user, host, null)).claims.exp).toBe(session.expiresAt / 1000)
    const old = { ...session, id: 's3', issuedAt: start - hour, expiresAt: start + 20 * hour }
    clock.now = start + 7 * hour - 5000
    expect(readAssertion(await of(old, user, host, null)).claims.exp).toBe(start / 1000 + 7 * 3600)
  })
})

describe('the end of an assertion', () => {
  const proved = { ...session, provedAt: start }

  it('is at most the bound of SESSION_RECHECK, and moves with a confirmation', async () => {
    const { clock, of } = open({ recheckMs: hour })
    const expiry = async (provedAt: number) =>
      readAssertion(await of({ ...proved, provedAt }, user, host, null)).claims.exp
    clock.now = start + 2 * hour - 30_000
    expect(await expiry(start)).toBe((start + 2 * hour) / 1000)
    // Within the minute in which a token is kept.
    expect(await expiry(clock.now)).toBe(clock.now / 1000 + 300)
    expect(await expiry(start)).toBe((start + 2 * hour) / 1000)
  })

  it('counts from the check with SESSION_IDLE, and a kept token follows', async () => {
    const { clock, of } = open({ idleMs: 60_000 })
    const first = await of(proved, user, host, null)
    expect(readAssertion(first).claims.exp).toBe(start / 1000 + 60)
    clock.now += 999
    expect(await of(proved, user, host, null)).toBe(first)
    clock.now += 1
    expect(readAssertion(await of(proved, user, host, null)).claims.exp).toBe(start / 1000 + 61)
    const long = open({ idleMs: hour, recheckMs: hour })
    const kept = await long.of(proved, user, host, null)
    long.clock.now += 59_000
    expect(await long.of(proved, user, host, null)).toBe(kept)
  })

  it('follows the settings of the handler', async () => {
    const env = { SESSION_RECHECK: '1h', AUTO_SIGN_IN: 'true', SESSION_IDLE: '3h' }
    const app = startInProcess(env)
    const { session } = await app.signIn()
    const bound = app.now + 2 * hour
    app.now = bound - 60_000
    const { headers } = await app.call('/api/auth/forward?assertion=yes', session)
    expect(readAssertion(headers.get('x-homeport-assertion') ?? '').claims.exp).toBe(bound / 1000)
  })
})

it('a proxy gets a problem for another value of assertion, and for two', async () => {
  for (const query of ['assertion=', 'assertion=yes&assertion=yes', 'path=open&assertion=YES']) {
    const answer = await startInProcess().call(`/api/auth/forward?${query}`)
    expect(await answer.json(), query).toMatchObject({ code: 'assertion-unknown', status: 400 })
  }
})
