import { expect, it } from 'vitest'
import { Random, times } from '../../sandbox/testing/random.ts'
import { transactionCookie } from '../../src/http/cookies.ts'
import { startInProcess, unusedStore } from './support/in-process.ts'

/** Callbacks in a sample. */
const sample = 2000

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

interface StartedSignIn {
  readonly transaction: string
  readonly state: string
}

/**
 * Returns the query and Cookie header of a malformed callback. A third belong to a sign-in that was started, and half of
 * those carry its state, so that they get as far as a malformed callback can.
 */
function malformed(random: Random, { transaction, state }: StartedSignIn) {
  const parameters = Array.from({ length: random.below(5) }, () => {
    const name = random.pick(random.chance(70) ? ['code', 'state', 'error', 'iss'] : pieces)
    const value = random.pick(pieces) + (random.chance(50) ? random.below(2 ** 32).toString(36) : '')
    return `${name}=${random.chance(20) ? value : encodeURIComponent(value.isWellFormed() ? value : '')}`
  })
  const isStarted = random.chance(33)
  if (isStarted && random.chance(50)) parameters.push(`state=${state}`)
  const query = parameters.join('&').replace(/[^\x21-\x7e]|#/g, '%20')
  return {
    query,
    cookie: isStarted ? `__Host-homeport-transaction=${transaction}` : malformedCookie(random, transaction),
  }
}

/** Returns a header with a damaged or random value, sometimes twice, or no header. */
function malformedCookie(random: Random, transaction: string): string {
  const at = random.below(transaction.length)
  const end = random.chance(50) ? '' : `${random.below(36).toString(36)}_${transaction.slice(at + 2)}`
  const value = random.chance(50) ? transaction.slice(0, at) + end : random.pick(pieces)
  const name = random.chance(70) ? '__Host-homeport-transaction' : '__Host-homeport-session'
  if (random.chance(20)) return ''
  const cookie = `${name}=${value}`
  return (random.chance(10) ? `${cookie}; ${cookie}` : cookie).replace(/[^\x20-\x7e]/g, '')
}

it('malformed callbacks give no session and no crash', async () => {
  const app = startInProcess({}, unusedStore, () => Promise.reject(new Error('The provider was asked.')))
  const started = await app.start()
  const transaction = started.cookie.slice(`${transactionCookie}=`.length)
  const state = new URL(started.callback, 'https://people.example.com').searchParams.get('state') ?? ''
  const random = new Random()
  const codes = new Map<string, number>()
  let sent = 0
  for (const _ of times(sample)) {
    sent += 1
    const { query, cookie } = malformed(random, { transaction, state })
    const answer = await app.call(`/api/auth/callback?${query}`, cookie)
    if (answer.status === 200 || answer.headers.getSetCookie().some(line => /session=[^;]/.test(line))) {
      throw new Error(`There is a session after ${query} with ${cookie}`)
    }
    const { code } = (await answer.json()) as { code: string }
    codes.set(code, (codes.get(code) ?? 0) + 1)
    if (code === 'unexpected') throw new Error(`There is a crash after ${query}`)
    if (answer.headers.get('x-correlation-id') === null)
      throw new Error(`There is no correlation id after ${query}`)
  }
  expect(codes.get('transaction-missing')).toBeGreaterThan(sent / 10)
  expect(codes.get('state-mismatch')).toBeGreaterThan(sent / 100)
  // These got as far as the provider, by its error or by a code.
  expect(codes.get('provider-error')).toBeGreaterThan(sent / 100)
  expect(codes.get('sign-in-refused')).toBeGreaterThan(sent / 4000)
})
