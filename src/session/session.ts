import { readCookie, sessionCookie, writeCookie } from '../http/cookies.ts'
import { describeProblem } from '../settings/problems.ts'
import { readSessionKeys } from '../settings/session-keys.ts'
import { maxSessionMs } from '../settings/values.ts'
import { type Cryptography, randomText, webCryptography } from './cryptography.ts'
import { createSealer, type Sealer } from './seal.ts'

/** What downstream authorization reads: these three, no more. */
export interface SessionClaims {
  readonly username: string
  /** The employee's id, as text. */
  readonly resourceId: string
  readonly isAdmin: 1 | 0
}

/** A session as sealed into its cookie. Times are Unix milliseconds. */
export interface Session {
  readonly claims: SessionClaims
  readonly id: string
  readonly issuedAt: number
  /** Absolute; nothing moves it (ASVS 5.0 7.3.2). */
  readonly expiresAt: number
  /** When it was last seen in use, which matters only with an idle limit. */
  readonly seenAt: number
  /** What tells the callback that started it, so that one fired twice is recognised; null without one. */
  readonly callbackMark: string | null
}

export interface SessionRules {
  readonly sealer: Sealer
  readonly lifetimeMs: number
  /** Null: idleness does not end a session. */
  readonly idleMs: number | null
  /** Unix time in milliseconds; the system's clock unless a test gives another. */
  readonly now?: () => number
}

/** How far the clocks of two instances may be apart. */
const clockToleranceMs = 60_000

/**
 * The rules of a service in the same trust domain, from the text of SESSION_KEYS. Throws on unusable keys, and on a lifetime
 * over `maxSessionMs`.
 */
export function sessionRules(
  sessionKeys: string,
  lifetimeMs: number,
  idleMs: number | null = null,
  cryptography: Cryptography = webCryptography,
): SessionRules {
  const keys = readSessionKeys(sessionKeys)
  if ('problems' in keys) {
    throw new RangeError(keys.problems.map(problem => `SESSION_KEYS ${describeProblem(problem)}`).join(' '))
  }
  if (!(lifetimeMs <= maxSessionMs)) throw new RangeError('A session may live for seven days at most.')
  return { sealer: createSealer(keys.value, cryptography), lifetimeMs, idleMs }
}

/**
 * Starts a session, always with a new id (ASVS 5.0 7.2.4), and gives the Set-Cookie value that carries it. Whoever
 * calls this vouches for the person: the handler after the provider did, a legacy login after its own check.
 */
export async function createSession(
  rules: SessionRules,
  claims: SessionClaims,
  callbackMark: string | null = null,
): Promise<{ readonly session: Session; readonly setCookie: string }> {
  const now = (rules.now ?? Date.now)()
  const session: Session = {
    claims: { username: claims.username, resourceId: claims.resourceId, isAdmin: claims.isAdmin },
    id: randomText(16),
    issuedAt: now,
    expiresAt: now + rules.lifetimeMs,
    seenAt: now,
    callbackMark,
  }
  return { session, setCookie: await sealSession(rules, session) }
}

/** The Set-Cookie value of a session that goes on; its end stays where it is. */
export async function sealSession(rules: SessionRules, session: Session): Promise<string> {
  const { id, issuedAt, expiresAt, seenAt, callbackMark, claims } = session
  const sealed = await rules.sealer.seal(
    'session',
    JSON.stringify({ id, iat: issuedAt, exp: expiresAt, seen: seenAt, callback: callbackMark, claims }),
  )
  return writeCookie(sessionCookie, sealed, Math.max(0, expiresAt - (rules.now ?? Date.now)()))
}

/**
 * The session in a Cookie header; null when there is none, it was not sealed with one of the keys, or its time is over.
 * Says nothing of what happened since it was sealed: logout, deactivation and a changed admin flag are in the store.
 */
export async function readSession(rules: SessionRules, cookieHeader: string | null): Promise<Session | null> {
  const value = readCookie(cookieHeader, sessionCookie)
  const text = value === null ? null : await rules.sealer.open('session', value)
  const session = text === null ? null : parseSession(JSON.parse(text))
  if (!session) return null
  const now = (rules.now ?? Date.now)()
  const idle = rules.idleMs !== null && session.seenAt + rules.idleMs <= now
  return idle || session.expiresAt <= now || session.issuedAt > now + clockToleranceMs ? null : session
}

function parseSession(value: unknown): Session | null {
  if (!isRecord(value) || !isRecord(value['claims'])) return null
  const { id, iat, exp, seen, callback } = value
  const { username, resourceId, isAdmin } = value['claims']
  if (typeof id !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null
  if (typeof seen !== 'number' || (callback !== null && typeof callback !== 'string')) return null
  if (typeof username !== 'string' || typeof resourceId !== 'string') return null
  if (isAdmin !== 1 && isAdmin !== 0) return null
  const claims = { username, resourceId, isAdmin } as const
  return { claims, id, issuedAt: iat, expiresAt: exp, seenAt: seen, callbackMark: callback }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
