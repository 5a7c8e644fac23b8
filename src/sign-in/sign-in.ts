import type { NetworkLimit } from '../../lib/network-limit.ts'
import type { Employee, EmployeeStore } from '../employees/employee-store.ts'
import { lookupNames } from '../employees/user-names.ts'
import { fitsCookie, readCookie, transactionCookie } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { type ProblemCode, problems, saysWhenToRetry } from '../http/problem.ts'
import { checkSession, claimsOf, endEmployeeSessions, type User, userOf } from '../session/check.ts'
import type { Sealer } from '../session/seal.ts'
import {
  createSession,
  inUse,
  openSession,
  proofOf,
  resealSession,
  type Session,
  type SessionRules,
} from '../session/session.ts'
import type { Settings } from '../settings/table.ts'
import type { ExchangeLimit } from './exchange-limit.ts'
import { type Identity, type Profile, readIdentity } from './identity.ts'
import { type Match, matchEmployee, namesAnother } from './matching.ts'
import { failure, type Prompt, type Provider, type ProviderFailure } from './provider.ts'
import { accountDisabled, verifierMismatch } from './provider-errors.ts'
import type { SingleFlight } from './single-flight.ts'
import {
  openTransactions,
  pickTransaction,
  sealTransactions,
  startTransaction,
  type Transaction,
  withoutTransaction,
} from './transaction.ts'

export interface SignInParts {
  readonly settings: Settings
  readonly sealer: Sealer
  readonly sessions: SessionRules
  readonly provider: Provider
  readonly employees: EmployeeStore
  readonly singleFlight: SingleFlight<SignIn>
  readonly exchanges: ExchangeLimit
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

export type Completed = SignIn & { readonly setCookies: readonly string[] }

/** Longest code to accept, in characters. Entra's have about a thousand. */
const maxCodeLength = 4096

/**
 * Returns the context that transactions are sealed for. After a change of these settings, earlier transactions do not
 * open, so their codes are never sent to another tenant or cloud (RFC 9700 §4.4), nor one host's to another.
 */
function transactionContext({ instance, tenantId, clientId }: Settings, { redirectUri }: Host): string {
  return [instance, tenantId, clientId, redirectUri].join(' ')
}

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
 * Completes a sign-in from a callback's parameters and the browser's cookies. Calls Entra only for
 * complete parameters of a sign-in that this browser started (ASVS 5.0 10.1.2). Sets no cookies if another callback may
 * have succeeded, or if the sign-in can still succeed: other tabs may have changed the cookie meanwhile.
 * @throws StoreFailure
 */
export async function completeSignIn(
  parts: SignInParts,
  host: Host,
  parameters: URLSearchParams,
  cookieHeader: string | null,
): Promise<Completed> {
  const { settings, sealer } = parts
  const reading = readCallback(parameters)
  if ('problem' in reading) return { ...failure(reading.problem), setCookies: [] }
  const callback = reading.value
  const session = await openSession(parts.sessions, cookieHeader, host)
  const current = inUse(parts.sessions, session)
  const [mark, marked = null] = current?.callbackMark?.split('\n') ?? []
  const earlier = mark !== undefined && mark === markOf(callback) && (await signedIn(parts, current, marked))
  if (earlier) return { ...earlier, setCookies: [] }

  const context = transactionContext(settings, host)
  const pending = await openTransactions(sealer, context, readCookie(cookieHeader, transactionCookie))
  const pick = await pickTransaction(pending, callback.state, settings.requireState, parts.now())
  if (!pending || pick.kind === 'refused') {
    const code = pick.kind === 'refused' ? pick.code : 'transaction-missing'
    // Another tab signed this browser in, or it was never signed out: there is nothing to exchange.
    const user = code === 'state-required' ? null : await signedIn(parts, current, null)
    return { ...(user ?? failure(code)), suspicious: code === 'state-mismatch', setCookies: [] }
  }
  const { transaction } = pick
  const { code } = callback
  const work = () =>
    transaction.isSilent
      ? recheck(parts, host, callback, transaction, current)
      : redeem(parts, host, callback, transaction, session)
  // The state is this browser's secret, so nobody else can share the result.
  const redeemed =
    code === null ? await work() : await redeemOnce(parts, `${transaction.state} ${code}`, work)
  // Without a state, the code can belong to another tab of this browser.
  const isOwn =
    redeemed.kind === 'failure' &&
    redeemed.number === verifierMismatch &&
    callback.state === null &&
    pending.started.length > 1
  const result = isOwn ? { ...redeemed, suspicious: false } : redeemed
  // Anyone can send this browser a link with `error=`. Only the state proves that Entra ended this sign-in.
  const forged = code === null && callback.state === null
  if (result.kind === 'failure' && (forged || keepsCookies(result.problem.code))) {
    return { ...result, setCookies: [] }
  }
  const rest = await sealTransactions(sealer, context, withoutTransaction(pending, transaction))
  const setCookie = result.kind === 'user' ? result.started?.setCookie : result.setCookie
  return { ...result, setCookies: setCookie ? [setCookie, rest] : [rest] }
}

/**
 * Whether a callback ends a silent round of a session in use. Its rejected codes count by session, and the limit of its network
 * does not stop it: a stranger with the same address must not end the sessions of others.
 */
export async function isRound(
  parts: SignInParts,
  host: Host,
  parameters: URLSearchParams,
  cookieHeader: string | null,
): Promise<boolean> {
  if (inUse(parts.sessions, await openSession(parts.sessions, cookieHeader, host)) === null) return false
  const { settings, sealer } = parts
  const sealed = readCookie(cookieHeader, transactionCookie)
  const pending = await openTransactions(sealer, transactionContext(settings, host), sealed)
  const pick = await pickTransaction(pending, parameters.get('state'), settings.requireState, parts.now())
  return pick.kind === 'picked' && pick.transaction.isSilent
}

/** Whether a repeated callback gets the same result for some seconds. A failure that says when to retry can be retried. */
export function isLasting(result: SignIn): boolean {
  return result.kind === 'user' || !saysWhenToRetry(result.problem.code)
}

/** Redeems a code once. A repeat gets the first result, unless that session has ended since. */
async function redeemOnce(
  parts: SignInParts,
  key: string,
  redeemNow: () => Promise<SignIn>,
): Promise<SignIn> {
  let isFirst = false
  const result = await parts.singleFlight.once(key, () => {
    isFirst = true
    return redeemNow()
  })
  if (isFirst) return result
  if (result.kind === 'failure') return { ...result, codeRejected: false }
  if (!result.started) return result
  const check = await checkSession(parts.sessions, parts.employees, result.started.session)
  if (check.kind === 'user') return { ...result, user: check.user }
  return {
    ...failure(check.code === 'signed-out' ? 'sign-in-expired' : check.code),
    employeeId: check.employeeId,
  }
}

function keepsCookies(code: ProblemCode): boolean {
  return code === 'sign-in-expired' || code === 'too-many-requests' || problems[code].status >= 500
}

interface Callback {
  /** Null when Entra sent an error instead. */
  readonly code: string | null
  readonly state: string | null
  /** The parameters of the protocol, each at most once. */
  readonly parameters: URLSearchParams
}

/** Reads a callback's parameters, or returns why they are refused. A repeated parameter is ambiguous. */
function readCallback(
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
  return { value: { code: failed ? null : code, state: given.get('state'), parameters } }
}

/** Returns the user whose session this browser has; null without one, or if it has ended or the employee is inactive. */
async function signedIn(
  parts: SignInParts,
  session: Session | null,
  returnTo: string | null,
): Promise<SignedIn | null> {
  if (!session) return null
  const check = await checkSession(parts.sessions, parts.employees, session)
  return check.kind === 'user' ? { kind: 'user', user: check.user, started: null, returnTo } : null
}

/** Exchanges the code for a token, a profile, an employee and a session. */
async function redeem(
  parts: SignInParts,
  host: Host,
  callback: Callback,
  transaction: Transaction,
  replaced: Session | null,
): Promise<SignIn> {
  const found = await exchange(parts, host, callback, transaction)
  if (found.kind === 'failure') {
    return { ...found, suspicious: found.number === verifierMismatch }
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
 * Confirms the account of a session at Entra, which was asked without a word to the user. Renews only the time of the
 * confirmation: the session's id, its end and its revocations stay. A refusal changes nothing, unless Entra says that the
 * account is disabled, or names another one. Binds nobody: nobody chose this account, and an employee who is unbound stays so.
 */
async function recheck(
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
  if (found.profile.id !== session.boundTo) {
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

/** Seconds after which a slot is likely free. */
const retryExchangeSeconds = 2

async function exchange(
  { provider, exchanges }: SignInParts,
  { redirectUri }: Host,
  callback: Callback,
  transaction: Transaction,
) {
  const parameters = new URLSearchParams(callback.parameters)
  parameters.set('state', transaction.state)
  const release = exchanges.enter()
  if (!release) return tooMany(retryExchangeSeconds)
  try {
    return await provider.identify(redirectUri, parameters, transaction)
  } finally {
    release()
  }
}

function tooMany(retryAfter: number): ProviderFailure {
  return { kind: 'failure', problem: { code: 'too-many-requests', retryAfter } }
}

type Admission = (
  | { readonly kind: 'employee'; readonly employee: Employee; readonly lastEndedAt: number | null }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly employeeId?: string | undefined }
) & { readonly suspicious?: boolean | undefined }

/** Returns the employee that a profile belongs to, and binds them to its object ID. */
async function admit(parts: SignInParts, profile: Profile): Promise<Admission> {
  const identity = readIdentity(profile, parts.settings)
  if (identity.kind === 'refused') return identity
  const match = await find(parts, identity)
  if (match.kind === 'refused' || !match.mustBind) return match
  const { employee } = match
  const suspicious = await hasTwoNames(parts, identity, employee)
  if (suspicious && parts.settings.bindOnFirstUse !== 'everybody') {
    return { kind: 'refused', code: 'binding-required', employeeId: employee.id, suspicious }
  }
  if (await parts.employees.bind(employee.id, identity.objectId, parts.now())) {
    return { ...match, suspicious }
  }
  // Another sign-in bound the employee or the account first. It can be the same person's, in another window.
  const again = await find(parts, identity)
  if (again.kind === 'refused' || !again.mustBind) return again
  return { kind: 'refused', code: 'identity-changed', employeeId: employee.id }
}

/**
 * Whether Mail names this employee and the principal name another: somebody may have given the account either address to
 * take over a record.
 */
async function hasTwoNames(parts: SignInParts, identity: Identity, employee: Employee): Promise<boolean> {
  const { otherName, objectId } = identity
  if (otherName === null) return false
  const candidates = await parts.employees.findByName(lookupNames(otherName), objectId, otherName)
  return namesAnother(otherName, employee, candidates)
}

async function find({ employees, settings }: SignInParts, identity: Identity): Promise<Match> {
  const { username, objectId } = identity
  const candidates = await employees.findByName(lookupNames(username), objectId, username)
  return matchEmployee(identity, candidates, settings.bindOnFirstUse)
}

/**
 * Identifies a callback by its state and the end of its code, which is too little to redeem. The session cookie holds it,
 * sealed. Null without a code.
 */
function markOf({ code, state }: Callback): string | null {
  return code === null ? null : `${code.slice(-16)} ${state ?? ''}`
}
