import type { Host } from '../http/hosts.ts'
import { problems } from '../http/problem.ts'
import { proofOf, resealSession, type Session } from '../session/session.ts'
import { find } from './admission.ts'
import { type Callback, exchange, tooMany } from './code-exchange.ts'
import { readIdentity } from './identity.ts'
import { type SignIn, type SignInParts, signedIn } from './outcome.ts'
import { failure } from './provider.ts'
import { accountDisabled } from './provider-errors.ts'
import type { Transaction } from './transaction.ts'

/**
 * Confirms the account of a session at Entra, which was asked without a word to the user. Renews only the time of the
 * confirmation: the session's id, its end and its revocations stay. A refusal changes nothing, unless Entra says that the
 * account is disabled, or names another one. Binds nobody: nobody chose this account, and an employee who is unbound stays so.
 */
export async function recheck(
  parts: SignInParts,
  host: Host,
  callback: Callback,
  transaction: Transaction,
  session: Session | null,
): Promise<SignIn> {
  // Without a state, anybody can have sent this browser an error.
  if (!session || (callback.code === null && callback.state === null)) return failure('recheck-refused')
  const { sessions, employees } = parts
  const { returnTo } = transaction
  const employeeId = session.claims.resourceId
  const end = () => employees.endSession(session.id, parts.now(), session.expiresAt)
  async function goOn(change: Partial<Session>): Promise<SignIn> {
    const user = await signedIn(parts, session, returnTo)
    if (!user || !session) return { ...failure('signed-out'), employeeId }
    const changed = { ...session, triedAt: 0, askedAt: 0, ...change }
    return { ...user, started: { session: changed, setCookie: await resealSession(sessions, changed) } }
  }

  const wait = callback.code === null ? 0 : parts.rounds.waitSeconds(session.id)
  const found = wait > 0 ? tooMany(wait) : await exchange(parts, host, callback, transaction)
  if (found.kind === 'failure') {
    const { problem, error, number, codeRejected } = found
    if (codeRejected) await parts.rounds.count(session.id)
    const isDisabled = number === accountDisabled
    if (isDisabled) await end()
    const isAway = problems[problem.code].status >= 500 || problem.code === 'too-many-requests'
    if (isAway && proofOf(sessions, session) !== 'over') return goOn({ triedAt: parts.now() })
    if (isAway || isDisabled) return { ...found, employeeId }
    // Whom Entra refused is due at the next page, whatever other attempts were.
    const setCookie = await resealSession(sessions, { ...session, triedAt: 0, askedAt: 0 })
    return { ...failure('recheck-refused'), employeeId, error, number, setCookie }
  }
  // A session that another login started has no object ID. Whether the account is the employee's is decided below.
  if (session.boundTo !== null && found.profile.id !== session.boundTo) {
    await end()
    return { ...failure('identity-changed'), employeeId, suspicious: true }
  }
  const identity = readIdentity(found.profile, parts.settings)
  const match = identity.kind === 'refused' ? identity : await find(parts, identity)
  const isSame = match.kind === 'employee' && match.employee.id === employeeId
  if (isSame && !match.mustBind) return goOn({ provedAt: parts.now() })
  await end()
  if (match.kind === 'refused') return { ...failure(match.code), employeeId }
  // An operator who unbinds an account ends its sessions.
  return { ...failure(isSame ? 'signed-out' : 'identity-changed'), employeeId }
}
