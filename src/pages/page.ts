import { routes } from '../routes.ts'
import { webCryptography } from '../session/cryptography.ts'
import {
  type BrowserWindow,
  keepFromApplication,
  type PageContext,
  sayDone,
  shared,
  showProblem,
  signOut,
} from './browser.ts'
import { style } from './style.ts'

/** A page. It is the same for everybody; its script fetches the user's data. */
export interface Page {
  readonly html: string
  /** Content-Security-Policy that allows this page's inline style and script by their hashes. */
  readonly policy: string
}

export interface PageParts {
  readonly title: string
  /** Trusted markup of the main part. */
  readonly content: string
  /** Null for a page that needs none. */
  readonly script: ((window: BrowserWindow, context: PageContext) => unknown) | null
}

/** What the script of every page gets from the settings. */
export type PagePaths = Pick<PageContext, 'basePath' | 'afterSignIn' | 'autoSignIn'>

const noScript = `<noscript><p class="notice">This page needs JavaScript. Turn it on for this site, then reload.</p></noscript>
`

const problem = (signIn: string) => `
<section id="problem" role="alert" hidden>
<h1 id="problem-title" tabindex="-1"></h1>
<p id="problem-detail"></p>
<p><button id="problem-action" type="button"></button></p>
<p id="problem-back"><a href="${signIn}">Back to sign-in</a></p>
<div id="problem-reference">
<p class="quiet">If you ask for help, give this correlation ID:</p>
<p class="reference"><code id="correlation-id"></code> <button id="copy" type="button" class="small"></button></p>
</div>
</section>`

/** Builds a page. */
export async function buildPage({ title, content, script }: PageParts, paths: PagePaths): Promise<Page> {
  const [basePath, afterSignIn] = [paths.basePath, paths.afterSignIn].map(path =>
    JSON.stringify(path).replaceAll('<', '\\u003c'),
  )
  const context = [
    ...Object.entries(shared).map(([name, value]) => `${name}:${value}`),
    `basePath:${basePath},afterSignIn:${afterSignIn},autoSignIn:${paths.autoSignIn}`,
    `showProblem:(...given)=>(${showProblem})(window,context,...given)`,
    `signOut:path=>(${signOut})(window,context,path)`,
    `sayDone:before=>(${sayDone})(window,context,before)`,
  ]
  const code = script
    ? `{const context={${context}};(${keepFromApplication})(window,${basePath});(${script})(window,context)}`
    : ''
  const [styleHash, scriptHash] = await Promise.all([hashOf(style), hashOf(code)])
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${script ? `${noScript}${content}${problem(paths.basePath + routes.signIn)}` : content}
</main>
<script>${code}</script>
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    // The empty service worker of `keepFromApplication`.
    ...(paths.basePath === '' ? [] : ["worker-src 'self'"]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, policy }
}

async function hashOf(text: string): Promise<string> {
  const bytes = await webCryptography.sha256(new TextEncoder().encode(text))
  return `sha256-${btoa(String.fromCharCode(...bytes))}`
}
