import { readCookie, transactionCookie } from '../http/cookies.ts'
import type { Host } from '../http/hosts.ts'
import { type ProblemCode, problems, saysWhenToRetry } from '../http/problem.ts'
import { inUse, openSession } from '../session/session.ts'
import { checkSession } from '../session/session-check.ts'
import { markOf, readCallback, tooMany } from './code-exchange.ts'
import { type SignIn, type SignInParts, signedIn } from './outcome.ts'
import { failure } from './provider.ts'
import { recheck } from './recheck.ts'
import { redeem } from './sign-in.ts'
import {
  openTransactions,
  pickTransaction,
  sealTransactions,
  transactionContext,
  withoutTransaction,
} from './transaction.ts'

export type Completed = SignIn & { readonly setCookies: readonly string[] }

/**
 * Completes a sign-in from a callback's parameters and the browser's cookies. Calls Entra only for
 * complete parameters of a sign-in that this browser started (ASVS 5.0 10.1.2). Sets no cookies if another callback may
 * have succeeded, or if the sign-in can still succeed: other tabs may have changed the cookie meanwhile.
 * @param network where the request comes from; null if it is unknown
 * @throws StoreFailure
 */
export async function completeSignIn(
  parts: SignInParts,
  host: Host,
  parameters: URLSearchParams,
  cookieHeader: string | null,
  network: string | null,
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
  // The rejected codes of a session's rounds count by session: a stranger with the same address must not end the sessions of others.
  const waitSeconds = transaction.isSilent && current ? 0 : parts.failures.waitSeconds(network)
  if (waitSeconds > 0) return { ...tooMany(waitSeconds), suspicious: true, setCookies: [] }
  const { code } = callback
  const isSure = callback.state !== null || pending.started.length === 1
  const work = () =>
    transaction.isSilent
      ? recheck(parts, host, callback, transaction, current)
      : redeem(parts, host, callback, transaction, isSure, session)
  // The state is this browser's secret, so nobody else can share the result.
  const result = code === null ? await work() : await redeemOnce(parts, `${transaction.state} ${code}`, work)
  if (result.kind === 'failure' && result.codeRejected) await parts.failures.count(network)
  // Anyone can send this browser a link with `error=`. Only the state proves that Entra ended this sign-in.
  const forged = code === null && callback.state === null
  if (result.kind === 'failure' && (forged || keepsCookies(result.problem.code))) {
    return { ...result, setCookies: [] }
  }
  const rest = await sealTransactions(sealer, context, withoutTransaction(pending, transaction))
  const setCookie = result.kind === 'user' ? result.started?.setCookie : result.setCookie
  return { ...result, setCookies: setCookie ? [setCookie, rest] : [rest] }
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
  const result = await parts.singleFlight(key, () => {
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
