import { clearCookie, transactionCookie, writeCookie } from '../http/cookies.ts'
import { randomText } from '../session/cryptography.ts'
import type { Sealer } from '../session/seal.ts'

/** A sign-in in progress. It ties the returned code to the browser that asked for it. */
export interface Transaction {
  readonly state: string
  /** PKCE code verifier (RFC 7636): 256 random bits. */
  readonly verifier: string
  /** Unix time in milliseconds. */
  readonly expiresAt: number
}

/** Time for the user to sign in at the provider. Entra's codes live about as long. */
export const transactionLifetimeMs = 10 * 60_000

/** Sign-ins that one browser can have in progress. One more drops the oldest. */
export const maxPending = 5

/** The cookie outlives its transactions, so that a late callback differs from one that this browser never started. */
const cookieLifetimeMs = 60 * 60_000

export function startTransaction(now: number): Transaction {
  return { state: randomText(16), verifier: randomText(32), expiresAt: now + transactionLifetimeMs }
}

/** Adds a transaction to the pending ones, newest last. */
export function withTransaction(
  pending: readonly Transaction[],
  started: Transaction,
): readonly Transaction[] {
  return [...pending, started].slice(-maxPending)
}

export type Pick =
  | { readonly kind: 'picked'; readonly transaction: Transaction }
  | {
      readonly kind: 'refused'
      readonly code: 'transaction-missing' | 'state-required' | 'state-mismatch' | 'sign-in-expired'
    }

/**
 * Picks the transaction of a callback: by its state, else the newest. Without a state, the provider still compares the
 * verifier with the code, so PKCE ties the code to the browser (RFC 9700 §2.1.1).
 */
export function pickTransaction(
  pending: readonly Transaction[],
  state: string | null,
  requireState: boolean,
  now: number,
): Pick {
  if (pending.length === 0) return { kind: 'refused', code: 'transaction-missing' }
  if (state === null && requireState) return { kind: 'refused', code: 'state-required' }
  const transaction = state === null ? pending.at(-1) : pending.find(candidate => candidate.state === state)
  if (!transaction) return { kind: 'refused', code: 'state-mismatch' }
  if (transaction.expiresAt <= now) return { kind: 'refused', code: 'sign-in-expired' }
  return { kind: 'picked', transaction }
}

/** Returns the Set-Cookie value for the pending transactions. With none it removes the cookie. */
export async function sealTransactions(
  sealer: Sealer,
  context: string,
  pending: readonly Transaction[],
): Promise<string> {
  if (pending.length === 0) return clearCookie(transactionCookie)
  const rows = pending.map(({ state, verifier, expiresAt }) => [state, verifier, expiresAt])
  const sealed = await sealer.seal('transaction', JSON.stringify(rows), context)
  return writeCookie(transactionCookie, sealed, cookieLifetimeMs)
}

/** Returns the pending transactions in a cookie's value; none when it was not sealed for this context. */
export async function openTransactions(
  sealer: Sealer,
  context: string,
  value: string | null,
): Promise<readonly Transaction[]> {
  const text = value === null ? null : await sealer.open('transaction', value, context)
  if (text === null) return []
  const rows: unknown = JSON.parse(text)
  return Array.isArray(rows) ? rows.flatMap(readRow) : []
}

function readRow(row: unknown): readonly Transaction[] {
  const [state, verifier, expiresAt]: readonly unknown[] = Array.isArray(row) ? row : []
  const whole = typeof state === 'string' && typeof verifier === 'string' && typeof expiresAt === 'number'
  return whole ? [{ state, verifier, expiresAt }] : []
}
