import type { HttpAnswer } from '../../http/delivery.ts'
import { textAnswer } from '../answer.ts'
import type { EntraUser } from '../users.ts'
import { describe, type Marks, type Problem } from './aadsts.ts'

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => escapes[character] ?? '')

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 2rem auto; max-width: 30rem; padding: 0 1rem }
ul { list-style: none; padding: 0 }
button { font: inherit; text-align: start; width: 100%; margin: 0.25rem 0; padding: 0.5rem 0.75rem; min-height: 2.75rem; cursor: pointer }
small { display: block; overflow-wrap: anywhere }
`

/** A page without scripts. No form-action is set: Chromium applies it to the redirects that follow a form as well. */
const page = (status: number, title: string, content: string): HttpAnswer => ({
  status,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  },
  body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – identity provider stand-in</title>
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
 * The account picker: a button for each user, the hinted one first.
 * @param base path of the interaction; its forms go to `/login` and `/cancel` below it
 */
export const pickerPage = (
  base: string,
  users: readonly EntraUser[],
  hinted: EntraUser | undefined,
): HttpAnswer => {
  const inOrder = hinted === undefined ? users : [hinted, ...users.filter(({ id }) => id !== hinted.id)]
  return page(
    200,
    hinted === undefined ? 'Pick an account' : `Sign in as ${hinted.displayName}`,
    `<p>This stands in for the identity provider: no password is asked for.</p>
<ul>
${inOrder.map((user, at) => choice(`${base}/login`, user, at === 0)).join('\n')}
</ul>
<form method="post" action="${escaped(base)}/cancel"><button>Cancel</button></form>`,
  )
}

/** The page that tells the user what went wrong, when they are not sent back to the application. */
export const errorPage = (cause: Problem, marks: Marks, status = 400): HttpAnswer =>
  page(
    status,
    'Sign-in did not work',
    `<p role="alert">${escaped(describe(cause, marks))}</p>
<p>Request Id: ${escaped(marks.traceId)}</p>`,
  )

/** The page that asks whether to sign out. `form` is the library's form, which has no button of its own. */
export const signOutPage = (form: string): HttpAnswer =>
  page(
    200,
    'Sign out',
    `${form}
<button form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>`,
  )

export const signedOutPage = (): HttpAnswer => page(200, 'Signed out', '<p>You may close this page.</p>')

/** What a gateway in front of a service says when that is down. */
export const unavailablePage = (): HttpAnswer =>
  page(503, 'Service Unavailable', '<p>The service is unavailable.</p>')

/** A page where JSON was due: what a captive portal answers. */
export const strangePage = (): HttpAnswer => page(200, 'Welcome', '<p>Accept the terms to go online.</p>')

export const nothingHere = (path: string): HttpAnswer => textAnswer(404, `Nothing is at ${path}.\n`)
