import { problems } from '../http/problem.ts'
import { routes } from '../routes.ts'
import type { Settings } from '../settings/settings.ts'
import { buildPage, type Page } from './page.ts'
import { callbackScript, dashboardScript, signInScript } from './scripts.ts'

export interface Pages {
  readonly signIn: Page
  readonly callback: Page
  readonly dashboard: Page
  readonly notFound: Page
}

const back = `<a href="${routes.signIn}">Back to sign-in</a>`
const again = `<a href="${routes.dashboard}">Try again</a>`
const another = `<a href="${routes.signIn}?another">Use another account</a>`

/** Builds the pages for these settings. */
export async function buildPages({ legacyLoginUrl, afterSignInUrl, appName }: Settings): Promise<Pages> {
  const afterSignIn = afterSignInUrl ?? routes.dashboard
  const legacy = legacyLoginUrl ? `<p><a href="${escapeHtml(legacyLoginUrl)}">Use the old login</a></p>` : ''
  const { title, detail } = problems['not-found']
  const [signIn, callback, dashboard, notFound] = await Promise.all([
    buildPage({
      title: 'Sign in',
      content: `<div id="content">
<h1>${escapeHtml(appName ?? 'Employee system')}</h1>
<p>Sign in with your work account.</p>
<p><button id="sign-in" type="button">Sign in</button></p>
${legacy}</div>`,
      script: signInScript,
      afterSignIn,
      links: back,
    }),
    buildPage({
      title: 'Signing in',
      content: '<p id="busy" role="status">Signing you in…</p>',
      script: callbackScript,
      afterSignIn,
      links: `${back} · ${another}`,
    }),
    buildPage({
      title: 'Dashboard',
      content: `<p id="busy" role="status">Loading…</p>
<div id="content" hidden>
<h1>You are signed in</h1>
<dl>
<dt>Name</dt><dd id="username"></dd>
<dt>Employee ID</dt><dd id="resource-id"></dd>
<dt>Role</dt><dd id="role"></dd>
</dl>
<button id="sign-out" type="button">Sign out</button>
</div>`,
      script: dashboardScript,
      afterSignIn,
      links: `${again} · ${back}`,
    }),
    buildPage({
      title,
      content: `<h1>${title}</h1>
<p>${detail}</p>
<p>${back}</p>`,
      script: () => undefined,
      afterSignIn,
      links: '',
    }),
  ])
  return { signIn, callback, dashboard, notFound }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
