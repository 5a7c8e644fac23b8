import { problems } from '../http/problem.ts'
import { routes } from '../routes.ts'
import type { Settings } from '../settings/table.ts'
import { buildPage, type Page, type PageParts } from './page.ts'
import { callbackScript, dashboardScript, onwardScript, signInScript } from './scripts.ts'

/** Start of a sign-in page's content. */
const content = '<div id="content">'

/** What a sign-in page can say beside its content. */
const notices = {
  ended: 'Your session has ended. Sign in again to go on.',
  inactive: `Your session has ended. ${problems.inactive.detail}`,
  /** For a form, which no proxy keeps. */
  form: 'What you sent was not saved, because you were not signed in. Sign in, then send it again.',
  /** For a path that cannot be returned to: too long, of another site, or unknown to the proxy. */
  'open-again': 'Open your page again once you are signed in: its address cannot be kept.',
} as const

export type Notice = keyof typeof notices

const notKept =
  'This browser, or another server, did not keep your session. Allow cookies for this site, wait a minute, then try again. If it happens again, tell the administrator.'

/** Adds notices to a sign-in page. The page's policy has hashes of its script and style only. */
export function withNotices(html: string, shown: readonly Notice[]): string {
  const texts = shown.map(name => `\n<p id="${name}" class="notice" role="status">${notices[name]}</p>`)
  return html.replace(content, content + texts.join(''))
}

/** The settings that the pages show. */
export type PageSettings = Pick<
  Settings,
  'legacyLoginUrl' | 'afterSignInUrl' | 'appName' | 'basePath' | 'autoSignIn'
>

/** Returns what the pages have for these settings. */
function partsOf({ legacyLoginUrl, appName, basePath }: PageSettings, afterSignIn: string) {
  const legacy = legacyLoginUrl ? `<p><a href="${escapeHtml(legacyLoginUrl)}">Use the old login</a></p>` : ''
  const name = escapeHtml(appName ?? 'the employee system')
  const goesOn = afterSignIn !== basePath + routes.dashboard
  const goOn = goesOn
    ? `<p><a class="button" href="${escapeHtml(afterSignIn)}">Continue to ${name}</a></p>`
    : ''
  const failed = (code: 'not-found' | 'wrong-host', link = '') => {
    const { title, detail } = problems[code]
    return { title, content: `<h1>${title}</h1>\n<p>${detail}</p>${link}`, script: null }
  }
  const heading = `<h1>${escapeHtml(appName ?? 'Employee system')}</h1>`
  const signInWith = (parts: string, before = '') => ({
    title: 'Sign in',
    content: `${before}${content}\n${parts}${legacy}</div>`,
    script: signInScript,
  })
  // The script enables the button.
  const invitation = `${heading}
<p>Sign in with your work account.</p>
<p><button id="sign-in" type="button" disabled>Sign in</button></p>
`
  const done = `<p id="done" role="status" hidden>Done. <a id="before" href="${escapeHtml(afterSignIn)}">Continue</a></p>`
  const starting = (doing: string) =>
    `<p id="not-kept" class="notice" role="status" hidden>${notKept}</p>
${invitation}<p id="starting" role="status" hidden>${doing}</p>
${done}
`
  const back = `<p><a class="button" href="${basePath}${routes.signIn}">Back to sign-in</a></p>`
  return {
    signIn: signInWith(invitation),
    /** Starts the sign-in by itself. */
    signInStart: signInWith(starting('Signing you in…')),
    /** Has Entra confirm the account of a session by itself. */
    signInRecheck: signInWith(`${starting('Checking your account…')}<i id="recheck"></i>\n`),
    /** Offers a signed-in person the way on. */
    signedIn: signInWith(
      `${heading}
<p>You are signed in<span id="who" hidden> as <strong id="username"></strong></span>.</p>
<p><a id="go-on" class="button" href="${escapeHtml(afterSignIn)}">Continue${goesOn ? ` to ${name}` : ''}</a></p>
<p><button id="sign-in" type="button" class="second" disabled>Use another account</button></p>
<p><button id="sign-out" type="button" class="second">Sign out</button></p>
`,
      '<p id="busy" role="status" hidden></p>\n',
    ),
    /** In place of a redirect that may go round. */
    onward: {
      title: 'Sign in',
      content: `${done}
<div id="content" hidden>
${heading}
<p class="notice">${notKept}</p>
${back}
</div>`,
      script: onwardScript,
    },
    callback: {
      title: 'Signing in',
      content: `<p id="busy" role="status" hidden>Signing you in…</p>\n${done}`,
      script: callbackScript,
    },
    dashboard: {
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
    },
    'not-found': failed('not-found', `\n${back}`),
    'wrong-host': failed('wrong-host'),
  } satisfies Record<string, PageParts>
}

export type Pages = Readonly<Record<keyof ReturnType<typeof partsOf>, Page>>

/** Builds the pages for these settings. */
export async function buildPages(settings: PageSettings): Promise<Pages> {
  const { basePath, afterSignInUrl, autoSignIn } = settings
  const afterSignIn = afterSignInUrl ?? basePath + routes.dashboard
  const built = Object.entries(partsOf(settings, afterSignIn)).map(
    async ([name, parts]) => [name, await buildPage(parts, { basePath, afterSignIn, autoSignIn })] as const,
  )
  return Object.fromEntries(await Promise.all(built)) as Pages
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
