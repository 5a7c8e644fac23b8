import { isObject } from '../../lib/json.ts'
import { fitsCookie, readCookie, sessionCookie, writeCookie } from '../http/cookies.ts'
import type { SessionHost } from '../http/hosts.ts'
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
  /** Object ID that the employee was bound to when it started; null for other logins. */
  readonly boundTo: string | null
  /**
   * The earliest `ended_at` of a revocation of all the employee's sessions that ends this one. A sign-in reads the last
   * revocation, so that no clock decides. Other logins use the start.
   */
  readonly endsFrom: number
  /** Email address at the sign-in, if applications get it. It identifies nobody. */
  readonly email: string | null
  /** Principal name at the sign-in, a hint for a recheck at Entra; null without rechecks. */
  readonly hint: string | null
  /** When Entra last confirmed the account. */
  readonly provedAt: number
  /** When it was last asked, and could not answer; 0 for never. */
  readonly triedAt: number
  /** When a round began that has no answer yet; 0 for none. */
  readonly askedAt: number
  /** Host that it belongs to, `people.example.com`; null for the handler's first. */
  readonly host: string | null
}

export interface SessionRules {
  readonly sealer: Sealer
  readonly lifetimeMs: number
  /** Null if idle sessions do not end. */
  readonly idleMs: number | null
  /** Time after which Entra has to confirm the account again; null for never. */
  readonly recheckMs?: number | null
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
    throw new RangeError(keys.problems.map(problem => `SESSION_KEYS ${problem}`).join(' '))
  }
  if (!(lifetimeMs <= maxSessionMs)) throw new RangeError('A session lasts at most seven days.')
  return { sealer: createSealer(keys.value, cryptography), lifetimeMs, idleMs, now }
}

/**
 * Starts a session with a new id (ASVS 5.0 7.2.4), and returns it with its Set-Cookie value. The caller must have
 * authenticated the user: the handler relies on Entra, an old login on its own check.
 * @param origin `host` is where the cookie will be, for a handler with several; without it, that is the first of them
 */
export async function createSession(
  rules: SessionRules,
  claims: SessionClaims,
  origin: Partial<Pick<Session, 'callbackMark' | 'boundTo' | 'endsFrom' | 'email' | 'hint' | 'host'>> = {},
): Promise<{ readonly session: Session; readonly setCookie: string }> {
  const now = rules.now()
  const session: Session = {
    claims: { username: claims.username, resourceId: claims.resourceId, isAdmin: claims.isAdmin },
    id: randomText(16),
    issuedAt: now,
    expiresAt: now + rules.lifetimeMs,
    seenAt: now,
    callbackMark: null,
    boundTo: null,
    endsFrom: now,
    email: null,
    hint: null,
    provedAt: now,
    triedAt: 0,
    askedAt: 0,
    host: null,
    ...origin,
  }
  return { session, setCookie: await sealSession(rules, session) }
}

/** Returns the Set-Cookie value of a session. It does not extend the session. */
export async function sealSession(rules: SessionRules, session: Session): Promise<string> {
  const { id, issuedAt, expiresAt, seenAt, callbackMark, boundTo, endsFrom, claims } = session
  // JSON leaves out what is undefined.
  const email = session.email ?? undefined
  const host = session.host ?? undefined
  const recheck = rules.recheckMs
    ? {
        hint: session.hint ?? undefined,
        proved: session.provedAt,
        tried: session.triedAt,
        asked: session.askedAt || undefined,
      }
    : {}
  const times = { iat: issuedAt, exp: expiresAt, seen: seenAt, from: endsFrom }
  const sealed = await rules.sealer.seal(
    'session',
    JSON.stringify({ id, ...times, callback: callbackMark, bound: boundTo, email, host, ...recheck, claims }),
  )
  return writeCookie(sessionCookie, sealed, Math.max(0, endOf(rules, session) - rules.now()))
}

/**
 * Returns the Set-Cookie value of a session that changed. One that browsers would drop does without the mark of its callback, of
 * which no repeat is to be expected by now.
 */
export async function resealSession(rules: SessionRules, session: Session): Promise<string> {
  const setCookie = await sealSession(rules, session)
  return fitsCookie(setCookie) ? setCookie : sealSession(rules, { ...session, callbackMark: null })
}

/**
 * Returns the session in a Cookie header; null if there is none, it has expired, or none of the keys decrypts it. Only the
 * store knows of a logout, a deactivation or a changed admin flag: see `checkSession`.
 * @param host null to accept the sessions of every host
 */
export async function readSession(
  rules: SessionRules,
  cookieHeader: string | null,
  host: SessionHost | null = null,
): Promise<Session | null> {
  return inUse(rules, await openSession(rules, cookieHeader, host))
}

/**
 * Returns the session in a Cookie header even if it is idle, or over by a shorter lifetime than the one it started with:
 * enough to end it, since a copy of its cookie can still count, and not to act for its user.
 */
export async function openSession(
  rules: SessionRules,
  cookieHeader: string | null,
  host: SessionHost | null,
): Promise<Session | null> {
  const value = readCookie(cookieHeader, sessionCookie)
  const text = value === null ? null : await rules.sealer.open('session', value)
  const session = text === null ? null : parseSession(JSON.parse(text))
  return session && session.expiresAt > rules.now() && belongsTo(session, host) ? session : null
}

function belongsTo(session: Session, host: SessionHost | null): boolean {
  if (host === null) return true
  return session.host === null ? host.isFirst : withoutPort(session.host) === withoutPort(host.name)
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

/** Returns an opened session if it counts at this time. */
export function inUse(rules: SessionRules, session: Session | null): Session | null {
  if (!session) return null
  const now = rules.now()
  const idle = rules.idleMs !== null && notAhead(session.seenAt, now) + rules.idleMs <= now
  return idle || endOf(rules, session) <= now || session.issuedAt > now + clockToleranceMs ? null : session
}

/** Time in which Entra answers a silent request. Without an answer by then, it counts as away. */
export const maxAnswerMs = 30_000

/**
 * Returns whether Entra has confirmed a session's account lately: `due` after the time for a recheck, and `over` after twice that,
 * when the session lets nobody in until it is confirmed. An attempt that Entra could not answer waits as long as a confirmation.
 */
export function proofOf(
  { recheckMs, now }: SessionRules,
  { provedAt, triedAt, askedAt }: Session,
): 'fresh' | 'due' | 'over' {
  if (!recheckMs) return 'fresh'
  const time = now()
  const proved = notAhead(provedAt, time)
  if (time - proved > 2 * recheckMs) return 'over'
  const unanswered = time - askedAt > maxAnswerMs ? askedAt : 0
  return time - Math.max(proved, notAhead(triedAt, time), unanswered) > recheckMs ? 'due' : 'fresh'
}

/** Returns a recorded time, or 0 if no clock of another instance can have given it: else it would count until then. */
function notAhead(recorded: number, now: number): number {
  return recorded > now + clockToleranceMs ? 0 : recorded
}

/** The absolute limit. It ends older sessions too if SESSION_LIFETIME was made shorter. */
function endOf({ lifetimeMs }: Pick<SessionRules, 'lifetimeMs'>, { issuedAt, expiresAt }: Session): number {
  return Math.min(expiresAt, issuedAt + lifetimeMs)
}

/**
 * When a session ends that is used now, by whichever rule comes first, in Unix milliseconds. Each use moves the end by SESSION_IDLE,
 * and each confirmation that by SESSION_RECHECK.
 */
export function endIfUsed(rules: Omit<SessionRules, 'sealer'>, session: Session): number {
  const { idleMs, recheckMs, now } = rules
  const idleEnd = idleMs === null ? Number.POSITIVE_INFINITY : now() + idleMs
  const bound = recheckMs ? session.provedAt + 2 * recheckMs : Number.POSITIVE_INFINITY
  return Math.min(endOf(rules, session), idleEnd, bound)
}

function parseSession(value: unknown): Session | null {
  if (!isObject(value) || !isObject(value['claims'])) return null
  const { id, iat, exp, seen, from, callback, bound, email = null, host = null } = value
  // Absent if the session was sealed without rechecks, before the setting was changed.
  const { hint = null, proved = iat, tried = 0, asked = 0 } = value
  const { username, resourceId, isAdmin } = value['claims']
  if (typeof id !== 'string' || typeof username !== 'string' || typeof resourceId !== 'string') return null
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof seen !== 'number') return null
  if (typeof from !== 'number' || typeof proved !== 'number') return null
  if (typeof tried !== 'number' || typeof asked !== 'number') return null
  if (!isTextOrNull(callback) || !isTextOrNull(bound) || !isTextOrNull(email)) return null
  if (!isTextOrNull(host) || !isTextOrNull(hint)) return null
  if (isAdmin !== 1 && isAdmin !== 0) return null
  const claims = { username, resourceId, isAdmin } as const
  const times = { issuedAt: iat, expiresAt: exp, seenAt: seen, endsFrom: from }
  const proof = { provedAt: proved, triedAt: tried, askedAt: asked, hint }
  return { claims, id, ...times, ...proof, callbackMark: callback, boundTo: bound, email, host }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
