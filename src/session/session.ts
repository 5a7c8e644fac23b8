import { readCookie, sessionCookie, writeCookie } from '../http/cookies.ts'
import { describeProblem } from '../settings/problems.ts'
import { readSessionKeys } from '../settings/session-keys.ts'
import { maxSessionMs } from '../settings/values.ts'
import { type Cryptography, randomText, webCryptography } from './cryptography.ts'
import { createSealer, type Sealer } from './seal.ts'

/** Claims for downstream authorization: these three and no more. */
export interface SessionClaims {
  readonly username: string
  /** Employee id. */
  readonly resourceId: string
  readonly isAdmin: 1 | 0
}

/** A session as its cookie holds it. Times are Unix milliseconds. */
export interface Session {
  readonly claims: SessionClaims
  readonly id: string
  readonly issuedAt: number
  /** Absolute; activity does not extend it (ASVS 5.0 7.3.2). */
  readonly expiresAt: number
  /** Last recorded use, for the idle limit. */
  readonly seenAt: number
  /** Identifies the callback that started it, to recognise a repeated one; null for other logins. */
  readonly callbackMark: string | null
  /** Directory id that the employee was bound to when it started; null for other logins. */
  readonly boundTo: string | null
}

export interface SessionRules {
  readonly sealer: Sealer
  readonly lifetimeMs: number
  /** Null if idle sessions do not end. */
  readonly idleMs: number | null
  /** Unix time in milliseconds. */
  readonly now: () => number
}

/** Largest difference between the clocks of two instances. */
const clockToleranceMs = 60_000

/**
 * Returns the session rules for a service in the same trust domain.
 * @param sessionKeys the text of SESSION_KEYS
 * @throws RangeError for unusable keys, or a lifetime over seven days
 */
export function sessionRules(
  sessionKeys: string,
  lifetimeMs: number,
  idleMs: number | null = null,
  cryptography: Cryptography = webCryptography,
  now: () => number = Date.now,
): SessionRules {
  const keys = readSessionKeys(sessionKeys)
  if ('problems' in keys) {
    throw new RangeError(keys.problems.map(problem => `SESSION_KEYS ${describeProblem(problem)}`).join(' '))
  }
  if (!(lifetimeMs <= maxSessionMs)) throw new RangeError('A session lasts at most seven days.')
  return { sealer: createSealer(keys.value, cryptography), lifetimeMs, idleMs, now }
}

/**
 * Starts a session with a new id (ASVS 5.0 7.2.4), and returns it with its Set-Cookie value. The caller must have
 * authenticated the user: the handler relies on the provider, an old login on its own check.
 */
export async function createSession(
  rules: SessionRules,
  claims: SessionClaims,
  callbackMark: string | null = null,
  boundTo: string | null = null,
): Promise<{ readonly session: Session; readonly setCookie: string }> {
  const now = rules.now()
  const session: Session = {
    claims: { username: claims.username, resourceId: claims.resourceId, isAdmin: claims.isAdmin },
    id: randomText(16),
    issuedAt: now,
    expiresAt: now + rules.lifetimeMs,
    seenAt: now,
    callbackMark,
    boundTo,
  }
  return { session, setCookie: await sealSession(rules, session) }
}

/** Returns the Set-Cookie value of a session. It does not extend the session. */
export async function sealSession(rules: SessionRules, session: Session): Promise<string> {
  const { id, issuedAt, expiresAt, seenAt, callbackMark, boundTo, claims } = session
  const times = { iat: issuedAt, exp: expiresAt, seen: seenAt }
  const sealed = await rules.sealer.seal(
    'session',
    JSON.stringify({ id, ...times, callback: callbackMark, bound: boundTo, claims }),
  )
  return writeCookie(sessionCookie, sealed, Math.max(0, expiresAt - rules.now()))
}

/**
 * Returns the session in a Cookie header; null if there is none, it has expired, or none of the keys decrypts it. Only the
 * store knows of a logout, a deactivation or a changed admin flag: see `checkSession`.
 */
export async function readSession(rules: SessionRules, cookieHeader: string | null): Promise<Session | null> {
  const value = readCookie(cookieHeader, sessionCookie)
  const text = value === null ? null : await rules.sealer.open('session', value)
  const session = text === null ? null : parseSession(JSON.parse(text))
  if (!session) return null
  const now = rules.now()
  const idle = rules.idleMs !== null && session.seenAt + rules.idleMs <= now
  return idle || session.expiresAt <= now || session.issuedAt > now + clockToleranceMs ? null : session
}

function parseSession(value: unknown): Session | null {
  if (!isRecord(value) || !isRecord(value['claims'])) return null
  // Sessions that an earlier version sealed have no `bound`.
  const { id, iat, exp, seen, callback, bound = null } = value
  const { username, resourceId, isAdmin } = value['claims']
  if (typeof id !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null
  if (typeof seen !== 'number' || (callback !== null && typeof callback !== 'string')) return null
  if (bound !== null && typeof bound !== 'string') return null
  if (typeof username !== 'string' || typeof resourceId !== 'string') return null
  if (isAdmin !== 1 && isAdmin !== 0) return null
  const claims = { username, resourceId, isAdmin } as const
  return { claims, id, issuedAt: iat, expiresAt: exp, seenAt: seen, callbackMark: callback, boundTo: bound }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
