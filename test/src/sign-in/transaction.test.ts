import { describe, expect, it } from 'vitest'
import { readCookie, transactionCookie } from '../../../src/http/cookies.ts'
import { createSessionKey } from '../../../src/session/keys.ts'
import { createSealer } from '../../../src/session/seal.ts'
import { maxReturnBytes } from '../../../src/settings/return-path.ts'
import { readSessionKeys } from '../../../src/settings/session-keys.ts'
import {
  openTransactions,
  type Pending,
  pickTransaction,
  sealTransactions,
  startTransaction,
  type Transaction,
} from '../../../src/sign-in/transaction.ts'

const now = Date.parse('2026-11-22T09:00:00Z')
const minute = 60_000
// The longest key ID makes the longest cookie.
const [, keyBytes = ''] = createSessionKey(new Date()).split(':')
const reading = readSessionKeys(`${'k'.repeat(16)}:${keyBytes}`)
const sealer = createSealer('value' in reading ? reading.value : [])
const context = 'tenant client'

const cookieValue = (setCookie: string) => readCookie(setCookie.split(';')[0] ?? '', transactionCookie)
/** Seals the transactions and opens them again, as two requests of one browser do. */
async function roundTrip(pending: Pending) {
  return openTransactions(sealer, context, cookieValue(await sealTransactions(sealer, context, pending)))
}
/** Starts a sign-in for each path, as the tabs of one browser do. */
async function start(...paths: readonly (string | null)[]) {
  let pending: Pending | null = null
  const transactions: Transaction[] = []
  for (const path of paths) {
    const result = await startTransaction(pending, now, path)
    pending = result.pending
    transactions.push(result.transaction)
  }
  return { pending: pending ?? { secret: '', started: [] }, transactions }
}
const pathsIn = ({ started }: Pending) => started.map(({ returnTo }) => returnTo)

describe('a started transaction', () => {
  it('has a state of 128 bits and a verifier of 256 in base64url (RFC 7636 §4.1), none of which repeats', async () => {
    const { transactions } = await start(...Array.from({ length: 100 }, () => null))
    for (const { state, verifier } of transactions) {
      expect(state).toMatch(/^[\w-]{22}$/)
      expect(verifier).toMatch(/^[\w-]{43}$/)
    }
    const parts = transactions.flatMap(({ state, verifier }) => [
      state.slice(0, 11),
      state.slice(11),
      verifier.slice(0, 11),
      verifier,
    ])
    expect(new Set(parts).size).toBe(400)
  })

  it('is the newest of at most twenty, and the oldest makes room', async () => {
    const { pending, transactions } = await start(...Array.from({ length: 22 }, (_, tab) => `/${tab}`))
    expect(pathsIn(pending)).toEqual(Array.from({ length: 20 }, (_, tab) => `/${tab + 2}`))
    expect(pending.started.map(({ nonce }) => nonce)).toEqual(
      transactions.slice(2).map(({ state }) => state.slice(0, 11)),
    )
  })
})

describe('the transaction of a callback', () => {
  it('is never one with another state', async () => {
    const { pending, transactions } = await start('/a', '/b')
    const [one = '', other = ''] = transactions.map(({ state }) => state)
    for (const state of [
      '',
      one.slice(0, 11),
      one.slice(0, 21),
      `${one}A`,
      one.slice(0, 11) + other.slice(11),
      'A'.repeat(22),
      transactions[0]?.verifier ?? '',
    ]) {
      const pick = await pickTransaction(pending, state, false, now)
      expect(pick, state).toEqual({ kind: 'refused', code: 'state-mismatch' })
    }
  })

  it('has expired after ten minutes', async () => {
    const { pending, transactions } = await start('/a')
    const state = transactions[0]?.state ?? ''
    expect((await pickTransaction(pending, state, true, now + 10 * minute - 1)).kind).toBe('picked')
    for (const late of [now + 10 * minute, now + 10 * minute + 1]) {
      const refused = { kind: 'refused', code: 'sign-in-expired' }
      expect(await pickTransaction(pending, state, true, late)).toEqual(refused)
    }
  })
})

describe('the transaction cookie', () => {
  it('lasts a week, so that a late callback is not taken for one that was never started', async () => {
    const setCookie = await sealTransactions(sealer, context, (await start(null)).pending)
    expect(setCookie).toMatch(/^__Host-homeport-transaction=[\w.-]+; Path=\/; Max-Age=604800; /)
  })

  it.each(['a', '"', '\u2028'])(
    'stays below 4 KB with the longest paths of %j, and keeps the newest',
    async character => {
      const length = Math.floor((maxReturnBytes - 2) / new TextEncoder().encode(character).length)
      const paths = Array.from({ length: 20 }, (_, tab) => `/${tab % 10}${character.repeat(length)}`)
      const { pending, transactions } = await start(...paths.slice(0, 18), '/second', paths[19] ?? '')
      // The name, the value and the attributes together (RFC 6265 §6.1).
      expect((await sealTransactions(sealer, context, pending)).length).toBeLessThan(4096)
      const opened = await roundTrip(pending)
      expect(opened && pathsIn(opened)).toEqual([...Array(18).fill(null), '/second', paths[19]])
      const oldest = await pickTransaction(opened, transactions[0]?.state ?? '', true, now)
      expect(oldest).toMatchObject({ kind: 'picked', transaction: { returnTo: null } })
    },
  )
})
