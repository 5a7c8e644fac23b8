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
      'Your account is known to the identity provider, but no employee record belongs to it. Contractors and guests have none until one is made: ask your contact in the company, or HR, to have you added.',
  },
  inactive: {
    status: 401,
    title: 'Your account is inactive',
    detail:
      'Your employee record exists, but it is not active. If you still work here, ask HR to activate it, then sign in again.',
  },
  'ambiguous-employee': {
    status: 401,
    title: 'More than one employee record fits you',
    detail:
      'Several employee records have your name, so none was chosen. Ask HR or the administrator to give every record its own user name.',
  },
  'guest-not-allowed': {
    status: 401,
    title: 'Guest accounts cannot sign in here',
    detail:
      'You signed in with an account that was invited from another organisation. Use your account of this company; without one, ask your contact in the company.',
  },
  'domain-not-allowed': {
    status: 401,
    title: 'Your address is not one of this company',
    detail:
      'The address of the account you used is outside the domains that may sign in. Choose your work account; if this is your work account, ask the administrator to allow its domain.',
  },
  'identity-changed': {
    status: 401,
    title: 'This name belongs to another account',
    detail:
      'The employee record with your name is tied to a different account, as happens after a rename or when a name is given to somebody new. Ask the administrator to check the record and bind it again.',
  },
  'binding-required': {
    status: 401,
    title: 'Your account must be bound first',
    detail:
      'An employee record has your name, but accounts of your kind are let in only after an administrator has bound them to it. Ask the administrator to do that.',
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
    detail: 'The address holds no usable authorization code. Start again from the sign-in page.',
  },
  'state-mismatch': {
    status: 400,
    title: 'This answer belongs to another sign-in',
    detail: 'What came back does not fit a sign-in of this browser. Start again from the sign-in page.',
  },
  'state-required': {
    status: 400,
    title: 'The identity provider’s answer is incomplete',
    detail:
      'The parameter state is missing, and this deployment demands it. Start again from the sign-in page; if that does not help, tell the administrator.',
  },
  'consent-required': {
    status: 403,
    title: 'The application has not been approved',
    detail:
      'The identity provider wants consent for this application first. Ask an administrator of your directory to grant it, then sign in again.',
  },
  'not-assigned': {
    status: 403,
    title: 'You are not assigned to this application',
    detail:
      'Your directory lets only assigned people use this application. Ask an administrator of your directory to assign you.',
  },
  'sign-in-refused': {
    status: 403,
    title: 'The identity provider did not let you in',
    detail:
      'Sign-in was cancelled, or a rule of your directory stopped it: a disabled account, a device that is not managed, a missing second factor. Try again; if it keeps happening, ask your IT support.',
  },
  'cross-site': {
    status: 403,
    title: 'This request came from another site',
    detail: 'Only pages of this site may do this. Open the sign-in page yourself and start there.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    detail: 'This address, or this method on it, does not exist. Start from the sign-in page.',
  },
  'provider-error': {
    status: 502,
    title: 'The identity provider’s answer could not be used',
    detail: 'It was not what the protocol allows. Try again; if it keeps happening, tell the administrator.',
  },
  'provider-unavailable': {
    status: 503,
    title: 'The identity provider cannot be reached',
    detail: 'It is down or overloaded. Wait a moment and start again from the sign-in page.',
  },
  'employees-unavailable': {
    status: 503,
    title: 'The employee system cannot be reached',
    detail: 'This says nothing about your account. Wait a moment and try again.',
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
      'The identity provider rejected this application’s own secret, which may have expired. You cannot repair this: tell the administrator, with the correlation id.',
  },
  misconfigured: {
    status: 500,
    title: 'Sign-in is not set up correctly',
    detail: 'You cannot repair this: tell the administrator, with the correlation id.',
  },
  unexpected: {
    status: 500,
    title: 'Something went wrong here',
    detail: 'Try again; if it keeps happening, tell the administrator, with the correlation id.',
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
