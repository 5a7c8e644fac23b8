/** A failure as the caller sees it: the status, a title that names it, and what the person can do about it. */
interface ProblemText {
  readonly status: number
  readonly title: string
  readonly detail: string
}

/** Every failure of the handler. Codes are promises to callers; the texts are written for the person signing in. */
export const problems = {
  'not-in-system': {
    status: 401,
    title: 'You are not in the employee system',
    detail:
      'No employee record belongs to your account. Contractors and guests have none until one is made: ask your contact in the company, or HR, to have you added.',
  },
  inactive: {
    status: 401,
    title: 'Your account is inactive',
    detail:
      'Your employee record is not active. If you still work here, ask HR to activate it, then sign in again.',
  },
  'ambiguous-employee': {
    status: 401,
    title: 'More than one employee record fits you',
    detail:
      'Several employee records have your name. Ask HR or the administrator to give every record its own.',
  },
  'guest-not-allowed': {
    status: 401,
    title: 'Guest accounts cannot sign in here',
    detail:
      'Your account was invited from another organisation. Use your account of this company; without one, ask your contact in the company.',
  },
  'domain-not-allowed': {
    status: 401,
    title: 'Your address is not one of this company',
    detail:
      'Its domain may not sign in. Use your work account; if this is it, ask the administrator to allow its domain.',
  },
  'identity-changed': {
    status: 401,
    title: 'This name belongs to another account',
    detail:
      'The employee record with your name is tied to another account, as after a rename. Ask the administrator to bind it again.',
  },
  'binding-required': {
    status: 401,
    title: 'Your account must be bound first',
    detail:
      'An employee record has your name, but an account of your kind has to be bound to it first. Ask the administrator to do so.',
  },
  'sign-in-expired': {
    status: 401,
    title: 'This sign-in is over',
    detail: 'It took too long, or it was completed already. Start again from the sign-in page.',
  },
  'signed-out': {
    status: 401,
    title: 'You are signed out',
    detail: 'There is no session, or it has ended. Sign in again.',
  },
  'transaction-missing': {
    status: 400,
    title: 'No sign-in was started in this browser',
    detail:
      'Sign-in has to begin and end in the same browser, with cookies allowed. Start again from the sign-in page.',
  },
  'code-missing': {
    status: 400,
    title: 'The identity provider’s answer is incomplete',
    detail: 'The address holds no usable code. Start again from the sign-in page.',
  },
  'state-mismatch': {
    status: 400,
    title: 'This answer belongs to another sign-in',
    detail: 'Start again from the sign-in page.',
  },
  'state-required': {
    status: 400,
    title: 'The identity provider’s answer is incomplete',
    detail: 'Start again from the sign-in page; if it keeps happening, tell the administrator.',
  },
  'consent-required': {
    status: 403,
    title: 'The application has not been approved',
    detail: 'Ask an administrator of your directory to grant it consent, then sign in again.',
  },
  'not-assigned': {
    status: 403,
    title: 'You are not assigned to this application',
    detail: 'Ask an administrator of your directory to assign you, then sign in again.',
  },
  'sign-in-refused': {
    status: 403,
    title: 'The identity provider did not let you in',
    detail:
      'Sign-in was cancelled, or your directory stopped it: a disabled account, an unmanaged device, a missing second factor. Try again; if it keeps happening, ask your IT support.',
  },
  'cross-site': {
    status: 403,
    title: 'This request came from another site',
    detail: 'Only pages of this site may do this. Start again from the sign-in page.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    detail: 'Start from the sign-in page.',
  },
  'provider-error': {
    status: 502,
    title: 'The identity provider’s answer could not be used',
    detail: 'Try again; if it keeps happening, tell the administrator.',
  },
  'provider-unavailable': {
    status: 503,
    title: 'The identity provider cannot be reached',
    detail: 'Wait a moment, then start again from the sign-in page.',
  },
  'employees-unavailable': {
    status: 503,
    title: 'The employee system cannot be reached',
    detail: 'This says nothing about your account. Wait a moment, then try again.',
  },
  'provider-timeout': {
    status: 504,
    title: 'The identity provider took too long',
    detail: 'Start again from the sign-in page.',
  },
  'client-credential-rejected': {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail:
      'The identity provider rejected this application’s own secret. You cannot repair this: tell the administrator.',
  },
  misconfigured: {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail: 'You cannot repair this: tell the administrator.',
  },
  unexpected: {
    status: 500,
    title: 'Something went wrong here',
    detail: 'Try again; if it keeps happening, tell the administrator.',
  },
} as const satisfies Readonly<Record<string, ProblemText>>

export type ProblemCode = keyof typeof problems

/** How long a client is asked to wait when whoever is overloaded did not say. */
const defaultRetryAfterSeconds = 10

/** The longest wait passed on. */
const longestRetryAfterSeconds = 600

/** A failure on its way to the caller. */
export interface Problem {
  readonly code: ProblemCode
  /** Seconds, for codes with status 503. */
  readonly retryAfter?: number | undefined
}

/** The answer of RFC 9457 for a failure. */
export function problemResponse(problem: Problem, correlationId: string): Response {
  const { status, title, detail } = problems[problem.code]
  const body = {
    type: `urn:homeport:problem:${problem.code}`,
    title,
    status,
    detail,
    code: problem.code,
    correlationId,
  }
  const headers = new Headers({ 'content-type': 'application/problem+json' })
  // RFC 9110 §11.6.1 wants a challenge beside a 401. Any scheme browsers know would have them ask for a password.
  if (status === 401) headers.set('www-authenticate', 'Homeport realm="employees"')
  if (status === 503) {
    const seconds = Math.min(longestRetryAfterSeconds, problem.retryAfter ?? defaultRetryAfterSeconds)
    headers.set('retry-after', String(Math.max(1, Math.ceil(seconds))))
  }
  return new Response(JSON.stringify(body), { status, headers })
}
