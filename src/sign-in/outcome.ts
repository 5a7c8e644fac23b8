import type { NetworkLimit } from '../../lib/network-limit.ts'
import type { EmployeeStore } from '../employees/employee-store.ts'
import type { Sealer } from '../session/seal.ts'
import type { Session, SessionRules } from '../session/session.ts'
import { checkSession, type User } from '../session/session-check.ts'
import type { Settings } from '../settings/table.ts'
import type { EnterExchange } from './exchange-limit.ts'
import type { Provider, ProviderFailure } from './provider.ts'
import type { SingleFlight } from './single-flight.ts'

export interface SignInParts {
  readonly settings: Settings
  readonly sealer: Sealer
  readonly sessions: SessionRules
  readonly provider: Provider
  readonly employees: EmployeeStore
  readonly singleFlight: SingleFlight<SignIn>
  readonly enterExchange: EnterExchange
  /** Counts the codes that Entra rejects, by network. */
  readonly failures: NetworkLimit
  /** Counts the codes of silent rounds that Entra rejects, by session. */
  readonly rounds: NetworkLimit
  /** Unix time in milliseconds. */
  readonly now: () => number
}

/** How a sign-in ended. */
export type SignIn = SignedIn | SignInFailure

interface SignedIn {
  readonly kind: 'user'
  readonly user: User
  /** Null if the callback changed nothing. */
  readonly started: StartedSession | null
  /** Path to go to, if the sign-in started with one. */
  readonly returnTo: string | null
  /** A possible attack, although the sign-in succeeded. */
  readonly suspicious?: boolean | undefined
}

interface StartedSession {
  readonly session: Session
  /** Null if the browser already had the session when the callback came. */
  readonly setCookie: string | null
}

interface SignInFailure extends ProviderFailure {
  readonly employeeId?: string | undefined
  /** The session that stays, as the failure changed it. */
  readonly setCookie?: string
  /** A possible attack. */
  readonly suspicious?: boolean | undefined
}

/** Returns the user whose session this browser has; null without one, or if it has ended or the employee is inactive. */
export async function signedIn(
  parts: SignInParts,
  session: Session | null,
  returnTo: string | null,
): Promise<SignedIn | null> {
  if (!session) return null
  const check = await checkSession(parts.sessions, parts.employees, session)
  return check.kind === 'user' ? { kind: 'user', user: check.user, started: null, returnTo } : null
}
