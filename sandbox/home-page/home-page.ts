import type { SandboxDescription } from '../description.ts'
import type { Service } from '../http/emulated-service.ts'
import type { RequestHead } from '../http/exchange.ts'
import { html } from '../http/html.ts'
import type { Journal } from '../http/journal.ts'
import { hostOf, isLoopback } from '../http/virtual-hosts.ts'
import { title, welcome } from './welcome.ts'

/** Reads what the services hold. */
interface Overview {
  zones(): readonly {
    readonly name: string
    readonly records: readonly { readonly type: string; readonly name: string; readonly content: string }[]
  }[]
  workers(): readonly { readonly name: string; readonly addresses: readonly string[] }[]
  databases(): readonly { readonly name: string; readonly uuid: string }[]
  /** Returns the console lines of Workers. */
  console(): readonly { readonly at: string; readonly level: string; readonly message: string }[]
}

/** What the home page shows. */
interface HomePageState {
  readonly overview: Overview
  readonly journal: Journal
  readonly description: SandboxDescription
}

const maxLines = 100

/** Returns a section, of whose lines only the last are shown. Control characters, which no name needs, are replaced. */
function section(name: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const more = lines.length - maxLines
  return [
    title(name),
    ...(more > 0 ? [`  ${more} more`] : []),
    ...lines.slice(-maxLines).map(line => `  ${line.replace(/\p{Cc}/gu, '?')}`),
  ]
}

/** Lists the connections of the welcome, and what the services hold. */
function page({ overview, journal, description }: HomePageState): string {
  const lines = [
    ...overview.zones().flatMap(({ name, records }) =>
      section(
        `Records of ${name}`,
        records.map(({ type, name: owner, content }) => `${type.padEnd(6)} ${owner}  ${content}`),
      ),
    ),
    ...section(
      'Workers',
      overview.workers().map(({ name, addresses }) => [name, ...addresses].join('  ')),
    ),
    ...section(
      'Databases',
      overview.databases().map(({ name, uuid }) => `${name}  ${uuid}`),
    ),
    ...section(
      'Console of Workers',
      overview.console().map(({ at, level, message }) => `${at} ${level} ${message}`),
    ),
    ...section(
      'Requests',
      journal
        .entries()
        .map(({ at, service, method, path, status, fault }) =>
          [at.slice(11, 19), service, method, path, status ?? 'no answer', fault ?? ''].join(' ').trimEnd(),
        ),
    ),
  ]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Homeport sandbox</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>Homeport sandbox</h1>
<pre>${`${welcome(description, false)}${lines.join('\n')}\n`}</pre>
</main>
</body>
</html>
`.text
}

/** Whether a browser on this machine requests the page. */
function isForBrowser(head: RequestHead): boolean {
  const { method, path, headers } = head
  const isPage = method === 'GET' && path === '/' && /\btext\/html\b/.test(headers['accept'] ?? '')
  return isPage && isLoopback(hostOf(head))
}

/** Returns the service of the home page, which is text with a heading. The demo's live page has the picture. */
export function homePageService(shown: HomePageState): Service {
  return {
    name: 'home page',
    unrecorded: true,
    claim: head => (isForBrowser(head) ? 0 : null),
    answer: () => ({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; img-src data:",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
      },
      body: page(shown),
    }),
  }
}
