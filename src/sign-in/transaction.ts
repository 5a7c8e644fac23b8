import { clearCookie, transactionCookie, writeCookie } from '../http/cookies.ts'
import { randomText } from '../session/cryptography.ts'
import type { Sealer } from '../session/seal.ts'

/** One sign-in under way: what binds the code that comes back to the browser that asked for it. */
export interface Transaction {
  readonly state: string
  /** PKCE code verifier (RFC 7636): 256 random bits. */
  readonly verifier: string
  /** Unix time in milliseconds. */
  readonly expiresAt: number
}

/** How long a person may take at the provider. Entra's codes live about as long. */
export const transactionLifetimeMs = 10 * 60_000

/** Tabs that may be signing in at once in one browser; the oldest gives way. */
export const maxPending = 5

/** The cookie outlives its transactions, so that a late return is told apart from one that never started here. */
const cookieLifetimeMs = 60 * 60_000

export function startTransaction(now: number): Transaction {
  return { state: randomText(16), verifier: randomText(32), expiresAt: now + transactionLifetimeMs }
}

/** The pending ones with a new one, newest last. */
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
 * The transaction a callback belongs to: by state when it came along, else the newest, whose verifier then has to fit
 * the code at the provider (RFC 9700 §2.1.1 lets PKCE bind the code to the browser).
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

/** The Set-Cookie value that leaves these pending; none left removes the cookie. */
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

/** The pending transactions in a cookie's value; none when it was not sealed by us for this context. */
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
