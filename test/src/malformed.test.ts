import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { EmployeeDirectory } from '../../src/employees/directory.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { newSessionKey, runtimes, type Stage, startStage } from './support/stage.ts'

const total = 100_000
const overTheWire = 3000

/** A small generator, so that a failure comes again with the same seed. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const pieces = [
  'code',
  'state',
  'error',
  'iss',
  'error_description',
  'access_denied',
  'invalid_grant',
  'AADSTS70008: x',
  '',
  '=',
  '&',
  '%',
  '%00',
  '%zz',
  '\u0000',
  '\r\nset-cookie: a=b',
  '\u202e',
  '\ud800',
  '<script>',
  "' OR 1=1 --",
  '../',
  '{"a":1}',
  'null',
  '[]',
  'A'.repeat(5000),
  'k1.',
  'k1.AAAA',
  '.',
  'eyJhbGciOiJub25lIn0.e30.',
  '-1',
  '1e999',
  '__proto__',
  'constructor',
]

/**
 * The query and Cookie header of a callback nobody would send, and most of what a fuzzer would. A third comes with a sign-in
 * that was really started, and half of those with its state, so that they get as far as anything malformed can.
 */
function malformed(random: () => number, known: { readonly transaction: string; readonly state: string }) {
  const pick = () => pieces[Math.floor(random() * pieces.length)] ?? ''
  const parameters = Array.from({ length: Math.floor(random() * 5) }, () => {
    const name = random() < 0.7 ? (['code', 'state', 'error', 'iss'][Math.floor(random() * 4)] ?? '') : pick()
    const value = random() < 0.5 ? pick() : `${pick()}${random().toString(36).slice(2)}`
    return `${name}=${random() < 0.2 ? value : encodeURIComponent(value.isWellFormed() ? value : '')}`
  })
  if (random() < 1 / 3) {
    if (random() < 1 / 2) parameters.push(`state=${known.state}`)
    const query = parameters.join('&').replace(/[^\x21-\x7e]|#/g, '%20')
    return { query, cookie: `__Host-homeport-transaction=${known.transaction}` }
  }
  const base = known.transaction
  const at = Math.floor(random() * base.length)
  const damaged =
    random() < 0.5
      ? base.slice(0, at)
      : `${base.slice(0, at)}${random().toString(36)[2] ?? 'x'}_${base.slice(at + 2)}`
  const value = random() < 0.5 ? damaged : pick()
  const name = random() < 0.7 ? '__Host-homeport-transaction' : '__Host-homeport-session'
  const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '')
  const cookie =
    random() < 0.8 ? printable(`${name}=${value}${random() < 0.1 ? `; ${name}=${value}` : ''}`) : ''
  return { query: parameters.join('&').replace(/[^\x21-\x7e]|#/g, '%20'), cookie }
}

describe('malformed callbacks', () => {
  it(`come to no session and no crash, ${total} times`, { timeout: 240_000 }, async () => {
    const reading = readSettings({
      TENANT_ID: 'tenant',
      CLIENT_ID: 'client',
      CLIENT_SECRET: 'secret',
      INSTANCE: 'http://127.0.0.1:9',
      GRAPH_URL: 'http://127.0.0.1:9',
      REDIRECT_URI: 'http://localhost:8080/auth/callback',
      SESSION_KEYS: newSessionKey('k1'),
      ALLOWED_DOMAINS: 'example.com',
    })
    if (reading.kind === 'refused') throw new Error(reading.problems.join('\n'))
    const never = () => Promise.reject(new Error('the store was asked'))
    const directory: EmployeeDirectory = {
      findByName: never,
      bind: never,
      checkSession: never,
      endSession: never,
      probe: never,
    }
    const app = createApp({ settings: reading.settings, directory, log: () => undefined, transport: never })
    const started = await app(new Request('http://localhost/api/auth/login-url'))
    const transaction = /=([^;]+)/.exec(started.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
    const state = /[?&]state=([^&"]+)/.exec(await started.text())?.[1] ?? ''
    const random = generator(20_261_121)
    const codes = new Map<string, number>()
    for (let count = 0; count < total; count += 1) {
      const { query, cookie } = malformed(random, { transaction, state })
      const headers = cookie ? { cookie } : {}
      const answer = await app(new Request(`http://localhost/api/auth/callback?${query}`, { headers }))
      if (answer.status === 200 || answer.headers.getSetCookie().some(line => /session=[^;]/.test(line))) {
        throw new Error(`A session came of ${query} with ${cookie}`)
      }
      const { code } = (await answer.json()) as { code: string }
      codes.set(code, (codes.get(code) ?? 0) + 1)
      if (code === 'unexpected') throw new Error(`A crash came of ${query}`)
      if (answer.headers.get('x-correlation-id') === null) throw new Error(`Bare was the answer to ${query}`)
    }
    expect(codes.get('transaction-missing')).toBeGreaterThan(total / 10)
    expect(codes.get('state-mismatch')).toBeGreaterThan(total / 100)
    // These got as far as the provider, by its error or by a code.
    expect(codes.get('provider-error')).toBeGreaterThan(total / 100)
    expect(codes.get('sign-in-refused')).toBeGreaterThan(total / 4000)
  })

  describe.each(runtimes)('over the wire on %s', runtime => {
    let stage: Stage
    beforeAll(async () => {
      stage = await startStage(runtime)
    })
    afterAll(() => stage?.close())

    it(`leave the handler serving, ${overTheWire} of them later`, { timeout: 120_000 }, async () => {
      const visitor = stage.visitor()
      const state = (await visitor.start()).searchParams.get('state') ?? ''
      const random = generator(1121)
      const known = { transaction: visitor.cookie('transaction') ?? '', state }
      for (let count = 0; count < overTheWire; count += 20) {
        await Promise.all(
          Array.from({ length: 20 }, async () => {
            const { query, cookie } = malformed(random, known)
            const answer = await fetch(`${stage.origin}/api/auth/callback?${query}`, {
              headers: cookie ? { cookie } : {},
            })
            const text = await answer.text()
            expect(answer.status, query).not.toBe(200)
            expect(text, query).not.toContain('unexpected')
            expect(answer.headers.getSetCookie().some(line => /session=[^;]/.test(line))).toBe(false)
          }),
        )
      }
      const { account } = await stage.hire()
      expect((await visitor.signIn(account)).status).toBe(200)
    })
  })
})
