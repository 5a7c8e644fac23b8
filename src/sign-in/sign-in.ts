import type { Employee, EmployeeDirectory } from '../employees/directory.ts'
import { readCookie, transactionCookie } from '../http/cookies.ts'
import { type Problem, type ProblemCode, problems } from '../http/problem.ts'
import { checkSession, claimsOf, type User, userOf } from '../session/check.ts'
import type { Sealer } from '../session/seal.ts'
import { createSession, readSession, type SessionRules } from '../session/session.ts'
import type { Settings } from '../settings/settings.ts'
import { type Identity, type Profile, readIdentity } from './identity.ts'
import { lookupNames, type Match, matchEmployee } from './matching.ts'
import type { Provider } from './provider.ts'
import { verifierMismatch } from './provider-errors.ts'
import type { SingleFlight } from './single-flight.ts'
import {
  openTransactions,
  pickTransaction,
  sealTransactions,
  startTransaction,
  type Transaction,
  withTransaction,
} from './transaction.ts'

/** What a sign-in works with. */
export interface SignInParts {
  readonly settings: Settings
  readonly sealer: Sealer
  readonly sessions: SessionRules
  readonly provider: Provider
  readonly directory: EmployeeDirectory
  readonly singleFlight: SingleFlight<SignIn>
  readonly now: () => number
}

/** How a sign-in ended. The employee's id and the provider's error name and number may be logged. */
export type SignIn =
  | { readonly kind: 'user'; readonly user: User; readonly sessionCookie: string | null }
  | SignInFailure

interface SignInFailure {
  readonly kind: 'failure'
  readonly problem: Problem
  readonly employeeId?: string | undefined
  readonly error?: string | undefined
  readonly number?: number | undefined
  /** Somebody may be trying something. */
  readonly suspicious?: boolean | undefined
}

export type Completed = SignIn & { readonly setCookies: readonly string[] }

/** Longest code taken; Entra's are about a thousand characters. */
const maxCodeLength = 4096

/**
 * What transactions are tied to besides the key: one that was started under other settings does not open, so that its
 * code is never redeemed somewhere else (RFC 9700 §4.4).
 */
export function transactionContext({ instance, tenantId, clientId, redirectUri }: Settings): string {
  return [instance, tenantId, clientId, redirectUri].join(' ')
}

/** Starts a sign-in: the provider's address, and the Set-Cookie value that binds it to this browser. */
export async function startSignIn(
  parts: SignInParts,
  cookieHeader: string | null,
  selectAccount: boolean,
): Promise<{ readonly url: string; readonly setCookie: string }> {
  const { settings, sealer, provider } = parts
  const context = transactionContext(settings)
  const pending = await openTransactions(sealer, context, readCookie(cookieHeader, transactionCookie))
  const transaction = startTransaction(parts.now())
  const [url, setCookie] = await Promise.all([
    provider.authorizationUrl(transaction, selectAccount),
    sealTransactions(sealer, context, withTransaction(pending, transaction)),
  ])
  return { url, setCookie }
}

/**
 * Completes a sign-in from the callback's parameters and the browser's cookies. Nothing goes to the provider before the
 * parameters are whole and belong to a sign-in of this browser (ASVS 5.0 10.1.2). A failure that may be the slower twin
 * of a success leaves every cookie alone, and so does one that is not of this sign-in's making: the cookie as it was sent
 * may be old by then, and other tabs have written theirs. Throws StoreFailure.
 */
export async function completeSignIn(
  parts: SignInParts,
  parameters: URLSearchParams,
  cookieHeader: string | null,
): Promise<Completed> {
  const { settings, sealer } = parts
  const answer = readAnswer(parameters)
  if (typeof answer === 'string') return { ...failure(answer), setCookies: [] }
  const { code } = answer
  const earlier = await sameCallbackBefore(parts, answer, cookieHeader)
  if (earlier) return { ...earlier, setCookies: [] }

  const context = transactionContext(settings)
  const pending = await openTransactions(sealer, context, readCookie(cookieHeader, transactionCookie))
  const pick = pickTransaction(pending, answer.state, settings.requireState, parts.now())
  if (pick.kind === 'refused') {
    return { ...failure(pick.code), suspicious: pick.code === 'state-mismatch', setCookies: [] }
  }
  const { transaction } = pick
  const work = () => redeem(parts, answer, transaction, cookieHeader)
  // The state in the key is a secret of this browser, so that the result goes to nobody else.
  const result = await (code === null
    ? work()
    : parts.singleFlight.once(`${transaction.state} ${code}`, work))
  if (result.kind === 'failure' && leavesCookies(result.problem.code)) return { ...result, setCookies: [] }
  const rest = await sealTransactions(
    sealer,
    context,
    pending.filter(({ state }) => state !== transaction.state),
  )
  return {
    ...result,
    setCookies: result.kind === 'user' && result.sessionCookie ? [result.sessionCookie, rest] : [rest],
  }
}

function leavesCookies(code: ProblemCode): boolean {
  return code === 'sign-in-expired' || problems[code].status >= 500
}

interface ProviderAnswer {
  /** Null when the provider sent an error instead. */
  readonly code: string | null
  readonly state: string | null
  /** The parameters that the protocol knows, each at most once. */
  readonly parameters: URLSearchParams
}

/** What the provider sent with the browser, or why it cannot be taken: a parameter given twice means two things. */
function readAnswer(given: URLSearchParams): ProviderAnswer | 'code-missing' | 'state-mismatch' {
  const names = ['code', 'state', 'iss', 'error', 'error_description'] as const
  if (given.getAll('state').length > 1) return 'state-mismatch'
  if (names.some(name => given.getAll(name).length > 1)) return 'code-missing'
  const code = given.get('code')
  const failed = Boolean(given.get('error'))
  if (!failed && (!code || code.length > maxCodeLength || !/^[\x21-\x7e]+$/.test(code))) return 'code-missing'
  const parameters = new URLSearchParams(
    names.flatMap((name): [string, string][] => {
      const value = given.get(name)
      return value && !(failed && name === 'code') ? [[name, value]] : []
    }),
  )
  return { code: failed ? null : code, state: given.get('state'), parameters }
}

/** The user of a session that this very callback started, when it is fired again after its cookie arrived. */
async function sameCallbackBefore(
  parts: SignInParts,
  answer: ProviderAnswer,
  cookieHeader: string | null,
): Promise<SignIn | null> {
  const mark = markOf(answer)
  const session = mark === null ? null : await readSession(parts.sessions, cookieHeader)
  if (!session || session.callbackMark !== mark) return null
  const check = await checkSession(parts.sessions, parts.directory, cookieHeader)
  return check.kind === 'user' ? { kind: 'user', user: check.user, sessionCookie: null } : null
}

/** Code to token to profile to employee to session. */
async function redeem(
  parts: SignInParts,
  answer: ProviderAnswer,
  transaction: Transaction,
  cookieHeader: string | null,
): Promise<SignIn> {
  const bound = new URLSearchParams(answer.parameters)
  bound.set('state', transaction.state)
  const found = await parts.provider.identify(bound, transaction)
  if (found.kind === 'failure') {
    const { problem, error, number } = found
    return { kind: 'failure', problem, error, number, suspicious: number === verifierMismatch }
  }
  const match = await admit(parts, found.profile)
  if (match.kind === 'refused') {
    const { code, employeeId } = match
    return { ...failure(code), employeeId, suspicious: code === 'identity-changed' }
  }
  await endFormerSession(parts, cookieHeader)
  const { setCookie } = await createSession(parts.sessions, claimsOf(match.employee), markOf(answer))
  return { kind: 'user', user: userOf(match.employee), sessionCookie: setCookie }
}

type Admission =
  | { readonly kind: 'employee'; readonly employee: Employee }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly employeeId?: string | undefined }

/** The employee a profile belongs to, bound to its directory id from now on. */
async function admit(parts: SignInParts, profile: Profile): Promise<Admission> {
  const identity = readIdentity(profile, parts.settings)
  if (identity.kind === 'refused') return identity
  const match = await find(parts, identity)
  if (match.kind === 'refused' || !match.mustBind) return match
  if (await parts.directory.bind(match.employee.id, identity.directoryId, parts.now())) return match
  // Somebody was faster. If that was the same person in another window, the pair is the same and all is well.
  const again = await find(parts, identity)
  if (again.kind === 'refused' || !again.mustBind) return again
  return { kind: 'refused', code: 'identity-changed', employeeId: match.employee.id }
}

async function find({ directory }: SignInParts, identity: Identity): Promise<Match> {
  const candidates = await directory.findByName(lookupNames(identity.username), identity.directoryId)
  return matchEmployee(identity, candidates)
}

/** A new sign-in ends the session it replaces (ASVS 5.0 7.2.4). */
async function endFormerSession(parts: SignInParts, cookieHeader: string | null): Promise<void> {
  const former = await readSession(parts.sessions, cookieHeader)
  if (former) await parts.directory.endSession(former.id, parts.now(), former.expiresAt)
}

/**
 * What tells a callback from others: its state, and enough of its code for that, but not enough to redeem it. What it is
 * kept in is sealed besides. Null without a code.
 */
function markOf({ code, state }: ProviderAnswer): string | null {
  return code === null ? null : `${code.slice(-16)} ${state ?? ''}`
}

function failure(code: ProblemCode): SignInFailure {
  return { kind: 'failure', problem: { code } }
}
