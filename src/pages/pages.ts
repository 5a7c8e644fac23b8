import { problems } from '../http/problem.ts'
import { routes } from '../routes.ts'
import type { Settings } from '../settings/table.ts'
import { buildPage, type Page, type PageParts } from './page.ts'
import { callbackScript, dashboardScript, signInScript } from './scripts.ts'

export interface Pages {
  readonly signIn: Page
  readonly callback: Page
  readonly dashboard: Page
  readonly notFound: Page
  readonly wrongHost: Page
}

/** The settings that the pages show. */
export type PageSettings = Pick<Settings, 'legacyLoginUrl' | 'afterSignInUrl' | 'appName' | 'basePath'>

/** Builds the pages for these settings. */
export async function buildPages(settings: PageSettings): Promise<Pages> {
  const { legacyLoginUrl, afterSignInUrl, appName, basePath } = settings
  const dashboard = basePath + routes.dashboard
  const afterSignIn = afterSignInUrl ?? dashboard
  const build = (parts: PageParts) => buildPage(parts, { basePath, afterSignIn })
  const legacy = legacyLoginUrl ? `<p><a href="${escapeHtml(legacyLoginUrl)}">Use the old login</a></p>` : ''
  const name = escapeHtml(appName ?? 'the employee system')
  const goesOn = afterSignIn !== dashboard
  const goOn = goesOn
    ? `<p><a class="button" href="${escapeHtml(afterSignIn)}">Continue to ${name}</a></p>`
    : ''
  const failed = (code: 'not-found' | 'wrong-host', link = '') => {
    const { title, detail } = problems[code]
    return build({ title, content: `<h1>${title}</h1>\n<p>${detail}</p>${link}`, script: null })
  }
  const [signIn, callback, home, notFound, wrongHost] = await Promise.all([
    build({
      title: 'Sign in',
      // The script enables the button.
      content: `<div id="content">
<h1>${escapeHtml(appName ?? 'Employee system')}</h1>
<p>Sign in with your work account.</p>
<p><button id="sign-in" type="button" disabled>Sign in</button></p>
${legacy}</div>`,
      script: signInScript,
    }),
    build({
      title: 'Signing in',
      content: '<p id="busy" role="status" hidden>Signing you in…</p>',
      script: callbackScript,
    }),
    build({
      title: 'Dashboard',
      content: `<p id="busy" role="status" hidden>Loading…</p>
<div id="content" hidden>
<h1>You are signed in</h1>
<dl>
<div><dt>Name</dt><dd id="username"></dd></div>
<div><dt>Employee ID</dt><dd><code id="resource-id"></code></dd></div>
<div><dt>Role</dt><dd id="role"></dd></div>
</dl>
${goOn}<p><button id="sign-out" type="button"${goesOn ? ' class="second"' : ''}>Sign out</button></p>
<p class="quiet">Signed in on another device, or lost one?</p>
<p><button id="end-all" type="button" class="small">End all my sessions</button></p>
</div>`,
      script: dashboardScript,
    }),
    failed('not-found', `\n<p><a class="button" href="${basePath}${routes.signIn}">Back to sign-in</a></p>`),
    failed('wrong-host'),
  ])
  return { signIn, callback, dashboard: home, notFound, wrongHost }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
