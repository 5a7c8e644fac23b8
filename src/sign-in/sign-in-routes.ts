import { jsonReply, type RequestContext, type RouteHandler, type RouteResult } from '../http/answer.ts'
import type { Host } from '../http/hosts.ts'
import { maxAnswerMs, proofOf, readSession, resealSession } from '../session/session.ts'
import { isReturnPath } from '../settings/return-path.ts'
import { completeSignIn } from './callback.ts'
import type { SignInParts } from './outcome.ts'
import type { Prompt } from './provider.ts'
import { startSignIn } from './sign-in.ts'

/** Rejected codes of one network in a minute after which it waits: junk must not use up the application's quota at Entra. */
export const maxFailures = 30

/** Rejected codes of one session's silent rounds in a minute after which its rounds wait. */
export const maxRejectedRounds = 5

/** Creates the two routes of a sign-in. */
export function createSignInEndpoints(parts: SignInParts) {
  async function loginUrl(request: Request, host: Host): Promise<RouteResult> {
    const parameters = parametersOf(request)
    const prompt = parameters.get('prompt')
    const [returnTo = null, ...others] = parameters.getAll('return')
    const { basePath } = parts.settings
    if (others.length > 0 || (returnTo !== null && !isReturnPath(returnTo, host.redirectUri, basePath)))
      return { problem: { code: 'return-invalid' } }
    const cookies = request.headers.get('cookie')
    const round = prompt === 'none' ? await roundOf(cookies, host) : null
    // Another tab has had the account confirmed: there is nothing to ask.
    if (round === 'fresh') return { reply: jsonReply({}) }
    const how = round?.prompt ?? (prompt === 'select_account' ? { prompt } : {})
    const { url, setCookie } = await startSignIn(parts, host, cookies, how, returnTo)
    return { reply: jsonReply({ url }), setCookies: [setCookie, ...(round?.setCookies ?? [])] }
  }

  /**
   * Returns how to have a session's account confirmed, and the session with a note that this has begun: if Entra's page never
   * answers, only this tells. `fresh` if it is not needed; null without a session.
   */
  async function roundOf(cookies: string | null, host: Host) {
    const { sessions, now } = parts
    const session = await readSession(sessions, cookies, host)
    if (!session || !sessions.recheckMs) return null
    const proof = proofOf(sessions, session)
    if (proof === 'fresh') return 'fresh'
    const prompt: Prompt = { prompt: 'none', ...(session.hint !== null && { login_hint: session.hint }) }
    // The first of several that have no answer counts.
    const isNew = proof === 'due' && Math.abs(now() - session.askedAt) > maxAnswerMs
    return {
      prompt,
      setCookies: isNew ? [await resealSession(sessions, { ...session, askedAt: now() })] : [],
    }
  }

  async function callback(
    request: Request,
    host: Host,
    { keepAlive, clientNetwork }: RequestContext,
  ): Promise<RouteResult> {
    const cookies = request.headers.get('cookie')
    const work = completeSignIn(parts, host, parametersOf(request), cookies, clientNetwork?.() ?? null)
    keepAlive?.(work.catch(() => undefined))
    const { setCookies, ...result } = await work
    if (result.kind === 'user') {
      const { user, returnTo, suspicious } = result
      const body = returnTo === null ? { user } : { user, return: returnTo }
      const log = { employeeId: user.resourceId, security: suspicious || undefined }
      return { reply: jsonReply(body), setCookies, log }
    }
    const { problem, employeeId, error, number, advice, suspicious } = result
    const security = suspicious || undefined
    const log = { employeeId, providerError: error, providerNumber: number, security, message: advice }
    return { problem, setCookies, log }
  }

  return { loginUrl, callback } satisfies Record<string, RouteHandler>
}

function parametersOf(request: Request): URLSearchParams {
  return new URL(request.url).searchParams
}
