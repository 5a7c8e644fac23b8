import type { Employee } from '../employees/employee-store.ts'
import { fitsCookie, readCookie, transactionCookie } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { createSession, inUse, type Session } from '../session/session.ts'
import { claimsOf, endEmployeeSessions, userOf } from '../session/session-check.ts'
import { admit } from './admission.ts'
import { type Callback, exchange, markOf } from './code-exchange.ts'
import type { Profile } from './identity.ts'
import { type SignIn, type SignInParts, signedIn } from './outcome.ts'
import { failure, type Prompt } from './provider.ts'
import { verifierMismatch } from './provider-errors.ts'
import {
  openTransactions,
  sealTransactions,
  startTransaction,
  type Transaction,
  transactionContext,
} from './transaction.ts'

/** Starts a sign-in. Returns Entra's URL, and the Set-Cookie value that ties the sign-in to this browser. */
export async function startSignIn(
  parts: SignInParts,
  host: Host,
  cookieHeader: string | null,
  prompt: Prompt,
  returnTo: string | null,
): Promise<{ readonly url: string; readonly setCookie: string }> {
  const { settings, sealer, provider } = parts
  const context = transactionContext(settings, host)
  const earlier = await openTransactions(sealer, context, readCookie(cookieHeader, transactionCookie))
  const { transaction, pending } = await startTransaction(
    earlier,
    parts.now(),
    returnTo,
    prompt.prompt === 'none',
  )
  const [url, setCookie] = await Promise.all([
    provider.authorizationUrl(host.redirectUri, transaction, prompt),
    sealTransactions(sealer, context, pending),
  ])
  return { url, setCookie }
}

/**
 * Exchanges the code for a token, a profile, an employee and a session.
 * @param isSure whether the callback belongs to this transaction: without a state, the code can be another tab's of this browser
 * @param replaced the session that this browser has
 */
export async function redeem(
  parts: SignInParts,
  host: Host,
  callback: Callback,
  transaction: Transaction,
  isSure: boolean,
  replaced: Session | null,
): Promise<SignIn> {
  const found = await exchange(parts, host, callback, transaction)
  if (found.kind === 'failure') {
    return { ...found, suspicious: isSure && found.number === verifierMismatch }
  }
  const match = await admit(parts, found.profile)
  const { suspicious } = match
  if (match.kind === 'refused') {
    const { code, employeeId } = match
    if ((code === 'inactive' || code === 'ambiguous-employee') && employeeId !== undefined) {
      await endEmployeeSessions(parts.employees, employeeId, parts.now())
    }
    return {
      ...failure(code),
      problem: { code, account: addressOf(found.profile) },
      employeeId,
      suspicious: suspicious || code === 'identity-changed',
    }
  }
  const { returnTo } = transaction
  const { employee, lastEndedAt } = match
  if (replaced && isSameSignIn(replaced, transaction, employee, found.profile)) {
    const session = inUse(parts.sessions, replaced)
    const current = await signedIn(parts, session, returnTo)
    if (session && current) return { ...current, started: { session, setCookie: null }, suspicious }
  }
  const isHinted = parts.sessions.recheckMs && found.profile.userPrincipalName.length <= maxAddressLength
  const start = (callbackMark: string | null, hinted = Boolean(isHinted)) =>
    createSession(parts.sessions, claimsOf(employee), {
      callbackMark,
      email: parts.settings.emailHeader ? (addressOf(found.profile) ?? null) : null,
      hint: hinted ? found.profile.userPrincipalName : null,
      host: host.name,
      boundTo: found.profile.id,
      // Every revocation that this sign-in did not see ends the session, whatever the clocks say.
      endsFrom: lastEndedAt === null ? 0 : lastEndedAt + 1,
    })
  const mark = markOf(callback)
  // Includes the path, so that a repeated callback gets the same response, unless the path is too long for the cookie.
  let started = await start(returnTo === null ? mark : `${mark}\n${returnTo}`)
  if (returnTo !== null && !fitsCookie(started.setCookie)) started = await start(mark)
  if (!fitsCookie(started.setCookie)) started = await start(mark, false)
  // Browsers drop the cookie of an employee with a very long id, and the user would be signed out without a message.
  if (!fitsCookie(started.setCookie)) return { ...failure('misconfigured'), employeeId: employee.id }
  // A new sign-in ends the session it replaces (ASVS 5.0 7.2.4).
  if (replaced) await parts.employees.endSession(replaced.id, parts.now(), replaced.expiresAt)
  return { kind: 'user', user: userOf(employee), started, returnTo, suspicious }
}

/**
 * Whether a session began for the same person while this sign-in was in progress, in another tab that started with it. It is
 * kept, or restored tabs would end each other's sessions on their way to the application.
 */
function isSameSignIn(
  { issuedAt, boundTo, claims }: Session,
  { startedAt }: Transaction,
  employee: Employee,
  profile: Profile,
): boolean {
  return issuedAt >= startedAt && boundTo === profile.id && claims.resourceId === employee.id
}

/** Longest address to pass on, in characters (RFC 5321 §4.5.3.1). */
const maxAddressLength = 254

/** Returns the address that a profile was judged by; undefined if it is too long to be one. */
function addressOf({ mail, userPrincipalName }: Profile): string | undefined {
  const address = mail || userPrincipalName
  return address.length <= maxAddressLength ? address : undefined
}
