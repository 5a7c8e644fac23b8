import { clearCookie, transactionCookie, writeCookie } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { randomText } from '../session/cryptography.ts'
import type { Sealer } from '../session/seal.ts'
import { encodeBase64url } from '../settings/base64url.ts'
import type { Settings } from '../settings/table.ts'

/** A sign-in in progress. It ties the returned code to the browser that asked for it. */
export interface Transaction {
  readonly state: string
  /** PKCE code verifier (RFC 7636): 256 bits, of which nothing shows in the state. */
  readonly verifier: string
  /** Unix time in milliseconds. */
  readonly startedAt: number
  /** Path of this origin to go to afterwards; null for the default, or if the page keeps it. */
  readonly returnTo: string | null
  /** Whether Entra was asked without a word to the user, to confirm the account of a session. */
  readonly isSilent: boolean
}

/** The sign-ins that a browser has in progress, as its cookie holds them. */
export interface Pending {
  /** 256 random bits that the states and verifiers of this browser come from. */
  readonly secret: string
  /** Newest last. */
  readonly started: readonly Started[]
}

interface Started extends Pick<Transaction, 'startedAt' | 'returnTo' | 'isSilent'> {
  /** The random half of the state. */
  readonly nonce: string
}

/** Time for the user to sign in at Entra. Entra's codes live about as long. */
const transactionLifetimeMs = 10 * 60_000

/** Maximum sign-ins that one browser can have in progress, such as the tabs that it restores. Another one replaces the oldest. */
const maxPending = 20

/**
 * The cookie outlives its transactions, which tells a late callback from one that this browser never started: a tab can wait at
 * Entra over a weekend.
 */
const cookieLifetimeMs = 7 * 24 * 60 * 60_000

/** Starts a sign-in, in addition to the pending ones. */
export async function startTransaction(
  pending: Pending | null,
  now: number,
  returnTo: string | null,
  isSilent = false,
): Promise<{ readonly transaction: Transaction; readonly pending: Pending }> {
  const { secret, started } = pending ?? { secret: randomText(32), started: [] }
  const added: Started = { nonce: randomText(nonceBytes), startedAt: now, returnTo, isSilent }
  return {
    transaction: await transactionOf(secret, added),
    pending: { secret, started: [...started, added].slice(-maxPending) },
  }
}

/** Returns the pending sign-ins without this one. */
export function withoutTransaction({ secret, started }: Pending, { state }: Transaction): Pending {
  return { secret, started: started.filter(({ nonce }) => !state.startsWith(nonce)) }
}

export type Picked =
  | { readonly kind: 'picked'; readonly transaction: Transaction }
  | {
      readonly kind: 'refused'
      readonly code: 'transaction-missing' | 'state-required' | 'state-mismatch' | 'sign-in-expired'
    }

/**
 * Picks the transaction of a callback: by its state, else the newest. Without a state, Entra still compares the
 * verifier with the code, so PKCE ties the code to the browser (RFC 9700 §2.1.1). A state that this browser's secret made and
 * that is no longer pending was completed, replaced by newer ones, or lost between two requests.
 */
export async function pickTransaction(
  pending: Pending | null,
  state: string | null,
  requireState: boolean,
  now: number,
): Promise<Picked> {
  const newest = pending?.started.at(-1)
  if (!pending || !newest) return { kind: 'refused', code: 'transaction-missing' }
  if (state === null && requireState) return { kind: 'refused', code: 'state-required' }
  const nonce = state === null ? newest.nonce : state.slice(0, nonceLength)
  if (state !== null && state !== (await stateOf(pending.secret, nonce))) {
    return { kind: 'refused', code: 'state-mismatch' }
  }
  const picked = pending.started.find(started => started.nonce === nonce)
  if (!picked || picked.startedAt + transactionLifetimeMs <= now) {
    return { kind: 'refused', code: 'sign-in-expired' }
  }
  return { kind: 'picked', transaction: await transactionOf(pending.secret, picked) }
}

/** 64 random bits: enough to distinguish the sign-ins of a browser. */
const nonceBytes = 8
const nonceLength = 11

/** Characters of the state's other half: 66 bits that nobody without the browser's secret can guess. */
const tagLength = 11

async function transactionOf(secret: string, { nonce, ...started }: Started): Promise<Transaction> {
  const [state, verifier] = await Promise.all([stateOf(secret, nonce), derive(secret, `verifier ${nonce}`)])
  return { state, verifier, ...started }
}

async function stateOf(secret: string, nonce: string): Promise<string> {
  return nonce + (await derive(secret, `state ${nonce}`)).slice(0, tagLength)
}

/** Returns HMAC-SHA-256 (RFC 2104) as base64url: 43 characters, from which neither the secret nor another text's follows. */
async function derive(secret: string, text: string): Promise<string> {
  const { subtle } = crypto
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  return encodeBase64url(new Uint8Array(await subtle.sign('HMAC', key, encoder.encode(text))))
}

/**
 * Returns the context that transactions are sealed for. After a change of these settings, earlier transactions do not
 * open, so their codes are never sent to another tenant or cloud (RFC 9700 §4.4), nor one host's to another.
 */
export function transactionContext(
  { instance, tenantId, clientId }: Settings,
  { redirectUri }: Host,
): string {
  return [instance, tenantId, clientId, redirectUri].join(' ')
}

/** Returns the Set-Cookie value for the pending transactions. With none it removes the cookie. */
export async function sealTransactions(sealer: Sealer, context: string, pending: Pending): Promise<string> {
  if (pending.started.length === 0) return clearCookie(transactionCookie)
  const sealed = await sealer.seal('transaction', write(pending), context)
  return writeCookie(transactionCookie, sealed, cookieLifetimeMs)
}

/** Returns the pending transactions in a cookie's value; null when it was not sealed for this context. */
export async function openTransactions(
  sealer: Sealer,
  context: string,
  value: string | null,
): Promise<Pending | null> {
  const text = value === null ? null : await sealer.open('transaction', value, context)
  if (text === null) return null
  const [secret = '', ...lines] = text.split('\n')
  return { secret, started: lines.flatMap(readLine) }
}

const radix = 36

/**
 * Most bytes to seal, so that name, value and attributes stay below the 4,096 that browsers need to support (RFC 6265 §6.1), even
 * with a key ID of 16 characters: base64url makes 4 of 3, and the seal adds 28.
 */
const maxTextBytes = 2900

/**
 * Returns pending transactions as text, one a line. JSON would take more room. A path has no line break. Paths that do not
 * fit are left out, the oldest first.
 */
function write({ secret, started }: Pending): string {
  const encoder = new TextEncoder()
  const lines = started.map(({ nonce, startedAt, isSilent, returnTo }) => ({
    fields: `${nonce} ${startedAt.toString(radix)}${isSilent ? '!' : ''} `,
    path: returnTo ?? '',
  }))
  let free = maxTextBytes - encoder.encode([secret, ...lines.map(({ fields }) => fields)].join('\n')).length
  for (const line of lines.toReversed()) {
    free -= encoder.encode(line.path).length
    if (free < 0) line.path = ''
  }
  return [secret, ...lines.map(({ fields, path }) => fields + path)].join('\n')
}

function readLine(line: string): readonly Started[] {
  // Stryker disable next-line ArrayDeclaration: The first item is the whole match, which is not used
  const [, nonce, started, silent, path] = /^([\w-]+) ([0-9a-z]+)(!?) (.*)/s.exec(line) ?? []
  // Stryker disable next-line LogicalOperator,ConditionalExpression: A match has both parts and a failed one has none; only the type checker needs the two questions
  if (!nonce || !started) return []
  return [
    { nonce, startedAt: Number.parseInt(started, radix), returnTo: path || null, isSilent: silent === '!' },
  ]
}
