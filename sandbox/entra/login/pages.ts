import { type HttpAnswer, plainText } from '../../http/delivery.ts'
import type { EntraUser } from '../users.ts'
import type { Problem } from './aadsts.ts'
import type { LoginCall } from './call.ts'
import { errorDescription, errorTraceOf } from './failures.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for an element or a quoted attribute. Replaces control characters with question marks. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, character => entities[character] ?? '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces them.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '?')

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 30rem; padding: 0 1rem }
ul { list-style: none; padding: 0 }
button { font: inherit; text-align: start; width: 100%; margin: 0.25rem 0; padding: 0.5rem 0.75rem; min-height: 2.75rem; cursor: pointer }
small { display: block; overflow-wrap: anywhere }
`

/**
 * Returns a page. Its policy has no form-action, because Chromium also applies it to redirects after a form.
 * @param scripts the policy for scripts; none by default
 */
const page = (status: number, title: string, content: string, scripts = ''): HttpAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; ${scripts}style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – identity provider emulator</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${content}
</main>
</body>
</html>
`,
})

const choice = (action: string, user: EntraUser, first: boolean): string => `<li>
<form method="post" action="${escaped(action)}">
<button name="account" value="${escaped(user.userPrincipalName)}"${first ? ' autofocus' : ''}>${escaped(user.displayName)}
<small>${escaped(user.userPrincipalName)}</small></button>
</form>
</li>`

/**
 * Returns the account picker: a button for each user.
 * @param base the path of the interaction, with its forms at `/login` and `/cancel` below
 */
export const pickerPage = (base: string, users: readonly EntraUser[]): HttpAnswer =>
  page(
    200,
    'Pick an account',
    `<p>This is an emulator of the identity provider. You need no password.</p>
<ul>
${users.map((user, at) => choice(`${base}/login`, user, at === 0)).join('\n')}
</ul>
<form method="post" action="${escaped(base)}/cancel"><button>Cancel</button></form>`,
  )

/** Returns the page that shows an error to the user. */
export function errorPage(call: LoginCall, cause: Problem, status = 400): HttpAnswer {
  const trace = errorTraceOf(call)
  return page(
    status,
    'Sign-in failed',
    `<p role="alert">${escaped(errorDescription(cause, trace))}</p>
<p>Request Id: ${escaped(trace.traceId)}</p>`,
  )
}

/** Returns the page that confirms a sign-out. @param form the library's form, which has no button */
export const signOutPage = (form: string): HttpAnswer =>
  page(
    200,
    'Sign out',
    `${form}
<button form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>`,
  )

export const signedOutPage = (): HttpAnswer => page(200, 'Signed out', '<p>You can close this page.</p>')

/** Returns 404 for a path that neither the login service nor the OAuth library has. */
export const nothingHere = (path: string): HttpAnswer => plainText(404, `There is nothing at ${path}.`)
