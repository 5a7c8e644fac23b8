/** What the user reads about a failure: what happened, and what to do. */
interface ProblemText {
  readonly status: number
  readonly title: string
  readonly detail: string
}

/** Every failure of the handler. Callers rely on the codes; the messages are for the user. */
export const problems = {
  'not-in-system': {
    status: 401,
    title: 'You are not in the employee system',
    detail:
      'Your account has no employee record. Contractors and guests need one too: ask HR or your contact in the company to add you.',
  },
  inactive: {
    status: 401,
    title: 'Your account is inactive',
    detail: 'Your employee record is inactive. If you still work here, ask HR to activate it.',
  },
  'ambiguous-employee': {
    status: 401,
    title: 'Your employee record is not unique',
    detail:
      'Another record has the same user name or id. Ask HR or the administrator to correct one of them.',
  },
  'guest-not-allowed': {
    status: 401,
    title: 'Guest accounts cannot sign in',
    detail:
      'Your account belongs to another organisation. Use your account at this company. If you have none, ask your contact in the company.',
  },
  'domain-not-allowed': {
    status: 401,
    title: 'Your email domain is not allowed',
    detail: 'Use your work account. If this is your work account, ask the administrator to allow its domain.',
  },
  'identity-changed': {
    status: 401,
    title: 'Another account uses this employee record',
    detail:
      'The record with your name is linked to another account, or your account to another record. If you were renamed, ask the administrator to correct the link.',
  },
  'binding-required': {
    status: 401,
    title: 'Your account is not linked yet',
    detail: 'Your account must first be linked to your employee record. Ask the administrator to link it.',
  },
  'sign-in-expired': {
    status: 401,
    title: 'This sign-in has expired',
    detail: 'It took too long, or it was already completed. Start again from the sign-in page.',
  },
  'signed-out': {
    status: 401,
    title: 'You are signed out',
    detail: 'You have no session, or it has ended. Sign in again.',
  },
  'transaction-missing': {
    status: 400,
    title: 'This browser did not start a sign-in',
    detail: 'Allow cookies, and start and finish in the same browser. Start again from the sign-in page.',
  },
  'code-missing': {
    status: 400,
    title: 'The identity provider’s response is incomplete',
    detail: 'It has no usable code. Start again from the sign-in page.',
  },
  'state-mismatch': {
    status: 400,
    title: 'This response belongs to another sign-in',
    detail: 'Start again from the sign-in page.',
  },
  'state-required': {
    status: 400,
    title: 'The identity provider’s response is incomplete',
    detail: 'Start again from the sign-in page. If it happens again, tell the administrator.',
  },
  'return-invalid': {
    status: 400,
    title: 'This link cannot be followed after signing in',
    detail: 'The page to return to is not one of this site. Start again from the sign-in page.',
  },
  'consent-required': {
    status: 403,
    title: 'This application needs approval',
    detail: 'Ask an administrator of your Microsoft Entra tenant to grant consent, then sign in again.',
  },
  'not-assigned': {
    status: 403,
    title: 'You are not assigned to this application',
    detail: 'Ask an administrator of your Microsoft Entra tenant to assign you, then sign in again.',
  },
  'sign-in-refused': {
    status: 403,
    title: 'The identity provider refused the sign-in',
    detail:
      'The sign-in was cancelled, or Microsoft Entra blocked it: a locked or disabled account, an expired password, an unmanaged device or a missing second factor. Try again. If it happens again, ask your IT support.',
  },
  'recheck-refused': {
    status: 401,
    title: 'Sign in again',
    detail: 'Microsoft Entra wants to see you before you go on. Sign in from the sign-in page.',
  },
  'wrong-host': {
    status: 421,
    title: 'This address is not served here',
    detail: 'Check the address in your browser. If it is right, tell the administrator.',
  },
  'cross-site': {
    status: 403,
    title: 'This request came from another site',
    detail: 'Only pages of this site may send it. Start again from the sign-in page.',
  },
  'reserved-header': {
    status: 403,
    title: 'This request has a header that visitors may not send',
    detail: 'Remove every header whose name contains X-Homeport. Your browser sends none by itself.',
  },
  'assertion-unknown': {
    status: 400,
    title: 'This check asks for an assertion that does not exist',
    detail: 'Use assertion=yes in the proxy’s configuration, once, or leave it out.',
  },
  'too-many-requests': {
    status: 429,
    title: 'Too many sign-ins',
    detail:
      'Many sign-ins are in progress, or many from your network failed. Wait a minute, then start again from the sign-in page.',
  },
  'not-found': {
    status: 404,
    title: 'Page not found',
    detail: 'Start from the sign-in page.',
  },
  'provider-error': {
    status: 502,
    title: 'The identity provider’s response could not be used',
    detail: 'Try again. If it happens again, tell the administrator.',
  },
  'provider-unavailable': {
    status: 503,
    title: 'The identity provider is unavailable',
    detail: 'Wait a moment, then start again from the sign-in page.',
  },
  'employees-unavailable': {
    status: 503,
    title: 'The employee system is unavailable',
    detail: 'Nothing is wrong with your account. Wait a moment, then try again.',
  },
  'provider-timeout': {
    status: 504,
    title: 'The identity provider took too long',
    detail: 'Start again from the sign-in page.',
  },
  'client-credential-rejected': {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail: 'The identity provider rejected this application’s credential. Tell the administrator.',
  },
  misconfigured: {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail: 'Tell the administrator.',
  },
  'tls-untrusted': {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail: 'This server does not trust the identity provider’s certificate. Tell the administrator.',
  },
  unexpected: {
    status: 500,
    title: 'Something went wrong',
    detail: 'Try again. If it happens again, tell the administrator.',
  },
} as const satisfies Readonly<Record<string, ProblemText>>

export type ProblemCode = keyof typeof problems

/** Replaces the text of `consent-required` if the user declined, since no administrator is needed then. */
const declinedConsent = {
  status: problems['consent-required'].status,
  title: 'You declined to share your profile',
  detail:
    'Signing in needs your permission to read your profile, and nothing else. Sign in again and accept.',
} satisfies ProblemText

/** Retry-After if the overloaded service named no time. */
const defaultRetryAfterSeconds = 10

/** Whether a failure's response says when to retry, because a service is busy or away. */
export function saysWhenToRetry(code: ProblemCode): boolean {
  const { status } = problems[code]
  return status === 503 || status === 429
}

/** Maximum Retry-After to pass on. */
const maxRetryAfterSeconds = 600

/** A failure on its way to the caller. */
export interface Problem {
  readonly code: ProblemCode
  /** Seconds, for codes with status 429 or 503. */
  readonly retryAfter?: number | undefined
  /** With `consent-required`: the user declined. */
  readonly declined?: boolean | undefined
  /** Address of the account that was refused, for the person who used it. */
  readonly account?: string | undefined
  /** Sent beside those of every problem. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a failure as problem details (RFC 9457): its status, its headers and its body. */
export function problemReply(problem: Problem, correlationId: string) {
  const { status, title, detail } = problem.declined ? declinedConsent : problems[problem.code]
  const body = {
    type: `urn:homeport:problem:${problem.code}`,
    title,
    status,
    detail: problem.account === undefined ? detail : `${detail} You used ${problem.account}.`,
    code: problem.code,
    correlationId,
    ...(problem.declined ? { declined: true } : {}),
  }
  const headers: Record<string, string> = { ...problem.headers, 'content-type': 'application/problem+json' }
  // RFC 9110 §11.6.1 requires a challenge with a 401. For a scheme that they know, browsers would prompt for a password.
  if (status === 401) headers['www-authenticate'] = 'Homeport realm="employees"'
  if (saysWhenToRetry(problem.code)) {
    const seconds = Math.min(maxRetryAfterSeconds, problem.retryAfter ?? defaultRetryAfterSeconds)
    headers['retry-after'] = String(Math.max(1, Math.ceil(seconds)))
  }
  return { status, headers, body: JSON.stringify(body) }
}
