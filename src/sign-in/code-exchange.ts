import type { Host } from '../http/hosts.ts'
import type { SignInParts } from './outcome.ts'
import type { ProviderFailure } from './provider.ts'
import type { Transaction } from './transaction.ts'

/** Longest code to accept, in characters. Entra's have about a thousand. */
const maxCodeLength = 4096

export interface Callback {
  /** Null when Entra sent an error instead. */
  readonly code: string | null
  readonly state: string | null
  /** The parameters of the protocol, each at most once. */
  readonly parameters: URLSearchParams
}

/**
 * Reads a callback's parameters, or returns why they are refused. A repeated parameter is ambiguous, and one without a value counts as
 * omitted (RFC 6749 §3.1).
 */
export function readCallback(
  given: URLSearchParams,
): { readonly value: Callback } | { readonly problem: 'code-missing' | 'state-mismatch' } {
  const names = ['code', 'state', 'iss', 'error', 'error_description'] as const
  if (given.getAll('state').length > 1) return { problem: 'state-mismatch' }
  const code = given.get('code')
  const failed = Boolean(given.get('error'))
  const isRepeated = names.some(name => given.getAll(name).length > 1)
  if (isRepeated || (!failed && (!code || code.length > maxCodeLength || !/^[\x21-\x7e]+$/.test(code)))) {
    return { problem: 'code-missing' }
  }
  const parameters = new URLSearchParams(
    names.flatMap((name): [string, string][] => {
      const value = given.get(name)
      return value && !(failed && name === 'code') ? [[name, value]] : []
    }),
  )
  return { value: { code: failed ? null : code, state: given.get('state') || null, parameters } }
}

/**
 * Identifies a callback by its state and the end of its code, which is too little to redeem. The session cookie holds it,
 * sealed. Null without a code.
 */
export function markOf({ code, state }: Callback): string | null {
  return code === null ? null : `${code.slice(-16)} ${state ?? ''}`
}

/** Seconds after which a slot is likely free. */
const retryExchangeSeconds = 2

export async function exchange(
  { provider, enterExchange }: SignInParts,
  { redirectUri }: Host,
  callback: Callback,
  transaction: Transaction,
) {
  const parameters = new URLSearchParams(callback.parameters)
  parameters.set('state', transaction.state)
  const release = enterExchange()
  if (!release) return tooMany(retryExchangeSeconds)
  try {
    return await provider.identify(redirectUri, parameters, transaction)
  } finally {
    release()
  }
}

export function tooMany(retryAfter: number): ProviderFailure {
  return { kind: 'failure', problem: { code: 'too-many-requests', retryAfter } }
}
