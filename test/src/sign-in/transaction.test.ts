import { describe, expect, it } from 'vitest'
import { fc } from '../../../sandbox/testing/random.ts'
import { clearCookie, readCookie, transactionCookie } from '../../../src/http/cookies.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { createSealer } from '../../../src/session/seal.ts'
import { maxReturnBytes } from '../../../src/settings/return-path.ts'
import { readSessionKeys } from '../../../src/settings/session-keys.ts'
import {
  openTransactions,
  pickTransaction,
  sealTransactions,
  startTransaction,
  type Transaction,
  withTransaction,
} from '../../../src/sign-in/transaction.ts'

const now = Date.parse('2026-11-22T09:00:00Z')
const minute = 60_000
const reading = readSessionKeys(createSessionKey(new Date()))
const sealer = createSealer('value' in reading ? reading.value : [])
const context = 'tenant client'

const transaction = (change: Partial<Transaction> = {}): Transaction => ({
  state: 'state-1',
  verifier: 'verifier_1',
  expiresAt: now + minute,
  returnTo: null,
  ...change,
})
const cookieValue = (setCookie: string) => readCookie(setCookie.split(';')[0] ?? '', transactionCookie)
/** Seals the transactions and opens them again, as two requests of one browser do. */
async function roundTrip(pending: readonly Transaction[]) {
  return openTransactions(sealer, context, cookieValue(await sealTransactions(sealer, context, pending)))
}

describe('a started transaction', () => {
  it('ends after ten minutes and keeps the path to return to', () => {
    expect(startTransaction(now, '/timesheets/')).toMatchObject({
      expiresAt: now + 10 * minute,
      returnTo: '/timesheets/',
    })
    expect(startTransaction(now, null).returnTo).toBeNull()
  })

  it('has a state of 128 and a verifier of 256 random bits in base64url (RFC 7636 §4.1)', () => {
    const started = Array.from({ length: 100 }, () => startTransaction(now, null))
    for (const { state, verifier } of started) {
      expect(state).toMatch(/^[\w-]{22}$/)
      expect(verifier).toMatch(/^[\w-]{43}$/)
    }
    expect(new Set(started.flatMap(({ state, verifier }) => [state, verifier])).size).toBe(200)
  })

  it('is the newest of at most five, and the oldest makes room', () => {
    let pending: readonly Transaction[] = []
    for (let tab = 1; tab <= 7; tab += 1) pending = withTransaction(pending, transaction({ state: `${tab}` }))
    expect(pending.map(({ state }) => state)).toEqual(['3', '4', '5', '6', '7'])
  })
})

describe('the transaction of a callback', () => {
  const [first, second] = [transaction(), transaction({ state: 'state-2' })]
  const pending = [first, second]

  it('is the one with its state', () => {
    for (const requireState of [true, false]) {
      expect(pickTransaction(pending, 'state-1', requireState, now)).toEqual({
        kind: 'picked',
        transaction: first,
      })
      expect(pickTransaction(pending, 'state-2', requireState, now)).toEqual({
        kind: 'picked',
        transaction: second,
      })
    }
  })

  it('is the newest without a state, unless a state is required', () => {
    const third = transaction({ state: 'state-3' })
    expect(pickTransaction([...pending, third], null, false, now)).toEqual({
      kind: 'picked',
      transaction: third,
    })
    expect(pickTransaction(pending, null, true, now)).toEqual({ kind: 'refused', code: 'state-required' })
  })

  it('is missing if this browser started none, whatever else is wrong', () => {
    for (const state of [null, 'state-1']) {
      for (const requireState of [true, false]) {
        const pick = pickTransaction([], state, requireState, now)
        expect(pick).toEqual({ kind: 'refused', code: 'transaction-missing' })
      }
    }
  })

  it('is never one with another state', () => {
    for (const state of ['', 'state', 'state-11', 'STATE-1', 'verifier_1']) {
      const pick = pickTransaction(pending, state, false, now)
      expect(pick).toEqual({ kind: 'refused', code: 'state-mismatch' })
    }
  })

  it('has expired at its exact end', () => {
    expect(pickTransaction([first], 'state-1', true, now + minute - 1).kind).toBe('picked')
    for (const late of [now + minute, now + minute + 1]) {
      expect(pickTransaction([first], 'state-1', true, late)).toEqual({
        kind: 'refused',
        code: 'sign-in-expired',
      })
    }
  })
})

describe('the transaction cookie', () => {
  it('returns the pending transactions, in order', async () => {
    const token = fc.stringMatching(/^[\w-]{1,43}$/)
    const path = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter(text => text.isWellFormed())
    const made = fc.record({
      state: token,
      verifier: token,
      expiresAt: fc.integer({ min: 0, max: 2 ** 45 }),
      returnTo: fc.option(path.map(text => `/${text.replaceAll('\n', ' ')}`)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 1, maxLength: 5 }), async pending => {
        expect(await roundTrip(pending)).toEqual(pending)
      }),
    )
  })

  it('keeps a path with spaces, other line separators and characters outside ASCII', async () => {
    const pending = ['/a b  c', '/x\u2028y', '/zeit/\u00fcbersicht', '/\r'].map(returnTo =>
      transaction({ returnTo }),
    )
    expect(await roundTrip(pending)).toEqual(pending)
  })

  it('lasts an hour, so that a late callback is not taken for one that was never started', async () => {
    const setCookie = await sealTransactions(sealer, context, [transaction()])
    expect(setCookie).toMatch(/^__Host-homeport-transaction=[\w.-]+; Path=\/; Max-Age=3600; /)
  })

  it('is removed when nothing is pending any more', async () => {
    expect(await sealTransactions(sealer, context, [])).toBe(clearCookie(transactionCookie))
  })

  it('hides its content, and fits five of the longest paths', async () => {
    const returnTo = `/${'p'.repeat(maxReturnBytes - 1)}`
    const pending = Array.from({ length: 5 }, () => startTransaction(now, returnTo))
    const setCookie = await sealTransactions(sealer, context, pending)
    expect(setCookie.length).toBeLessThan(4096)
    for (const { state, verifier } of pending) {
      expect(setCookie).not.toContain(state)
      expect(setCookie).not.toContain(verifier)
    }
  })

  it('does not open without a value, in another context, for another purpose or in another format', async () => {
    const value = cookieValue(await sealTransactions(sealer, context, [transaction()]))
    expect(await openTransactions(sealer, context, null)).toEqual([])
    expect(await openTransactions(sealer, context, 'k1.forged')).toEqual([])
    expect(await openTransactions(sealer, `${context}2`, value)).toEqual([])
    const line = `state verifier ${now.toString(36)} `
    for (const [purpose, sealedFor] of [
      ['session', `2 ${context}`],
      ['transaction', `1 ${context}`],
      ['transaction', context],
    ] as const) {
      const sealed = await sealer.seal(purpose, line, sealedFor)
      expect(await openTransactions(sealer, context, sealed)).toEqual([])
    }
    const sealed = await sealer.seal('transaction', line, `2 ${context}`)
    expect(await openTransactions(sealer, context, sealed)).toHaveLength(1)
  })

  it('drops lines that are not transactions, and keeps the others', async () => {
    const kept = `state verifier ${now.toString(36)} /path`
    for (const line of [
      '',
      'state verifier zz',
      ' verifier zz /path',
      'state  zz /path',
      'state verifier  /path',
      'state verifier ZZ /path',
      'state verifier z! /path',
      'st.te verifier zz /path',
      'state verifi+r zz /path',
      ' state verifier zz /path',
    ]) {
      const sealed = await sealer.seal('transaction', [kept, line, kept].join('\n'), `2 ${context}`)
      const opened = transaction({ state: 'state', verifier: 'verifier', expiresAt: now, returnTo: '/path' })
      expect(await openTransactions(sealer, context, sealed), JSON.stringify(line)).toEqual([opened, opened])
    }
  })
})
