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
  /** Path of this origin to go to afterwards; null for the default. */
  readonly returnTo: string | null
}

/** Time for the user to sign in at the provider. Entra's codes live about as long. */
const transactionLifetimeMs = 10 * 60_000

/** Maximum sign-ins that one browser can have in progress. Another one replaces the oldest. */
const maxPending = 5

/** The cookie outlives its transactions, which tells a late callback from one that this browser never started. */
const cookieLifetimeMs = 60 * 60_000

export function startTransaction(now: number, returnTo: string | null): Transaction {
  return {
    state: randomText(16),
    verifier: randomText(32),
    expiresAt: now + transactionLifetimeMs,
    returnTo,
  }
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
  const text = pending.map(writeLine).join('\n')
  const sealed = await sealer.seal('transaction', text, contextOf(context))
  return writeCookie(transactionCookie, sealed, cookieLifetimeMs)
}

/** Returns the pending transactions in a cookie's value; none when it was not sealed for this context. */
export async function openTransactions(
  sealer: Sealer,
  context: string,
  value: string | null,
): Promise<readonly Transaction[]> {
  const text = value === null ? null : await sealer.open('transaction', value, contextOf(context))
  return text === null ? [] : text.split('\n').flatMap(readLine)
}

/** A cookie in another format does not open, such as one from an earlier version during an upgrade. */
const format = 2

function contextOf(context: string): string {
  return `${format} ${context}`
}

const radix = 36

/**
 * Returns a transaction as one line. As JSON, five with the longest paths would exceed what browsers keep. A path has no
 * line break.
 */
function writeLine({ state, verifier, expiresAt, returnTo }: Transaction): string {
  return [state, verifier, expiresAt.toString(radix), returnTo ?? ''].join(' ')
}

function readLine(line: string): readonly Transaction[] {
  // Stryker disable next-line ArrayDeclaration: The first item is the whole match, which is not used
  const [, state, verifier, expires, path] = /^([\w-]+) ([\w-]+) ([0-9a-z]+) (.*)/s.exec(line) ?? []
  // Stryker disable next-line LogicalOperator,ConditionalExpression: A match has all three parts and a failed one has none; only the type checker needs the three questions
  if (!state || !verifier || !expires) return []
  return [{ state, verifier, expiresAt: Number.parseInt(expires, radix), returnTo: path || null }]
}
