import type { SandboxDescription } from '../description.ts'
import type { RequestHead } from '../http/exchange.ts'
import { type Html, html } from '../http/html.ts'
import type { Journal } from '../http/journal.ts'
import type { Service } from '../http/service.ts'
import { hostOf, isLoopback } from '../http/virtual-hosts.ts'
import { type ConnectionGroup, connectionsOf } from './connections.ts'
import { examplesFor } from './examples.ts'
import { script, scriptHash } from './script.ts'
import { style } from './style.ts'

interface ShownRecord {
  readonly type: string
  readonly name: string
  readonly content: string
  readonly ttl: number
  readonly proxied: boolean
}

interface ShownZone {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly records: readonly ShownRecord[]
}

interface ShownWorker {
  readonly name: string
  /** Hostnames and routes. */
  readonly addresses: readonly string[]
  readonly bindings: readonly { readonly name: string; readonly type: string }[]
  readonly modifiedOn: string
}

/** Reads the zones, Workers and databases to show. */
interface Overview {
  zones(): readonly ShownZone[]
  workers(): readonly ShownWorker[]
  databases(): readonly { readonly name: string; readonly uuid: string; readonly createdAt: string }[]
  /** Returns the console lines of Workers. */
  console(): readonly { readonly at: string; readonly level: string; readonly message: string }[]
}

/** The state that the home page shows. */
interface HomePageState {
  readonly overview: Overview
  readonly journal: Journal
  readonly description: SandboxDescription
}

const maxRecords = 100
const maxRequests = 30
const maxConsoleLines = 20

/** Returns a table. On narrow screens, each cell shows the head of its column. */
const table = (
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Html => html`
  <div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
    <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(
      cells =>
        html`<tr>${cells.map((cell, at) => html`<td data-head="${heads[at] ?? ''}">${cell}</td>`)}</tr>`,
    )}</tbody>
  </table></div>`

/** Returns a button that copies the code beside it. The script of the page shows it. */
const copyButton = (name: string): Html =>
  html`<button type="button" hidden aria-label="Copy ${name}">Copy</button>`

const note = (text: string | undefined): Html | readonly Html[] =>
  text === undefined ? [] : html` <small>${text}</small>`

const connectionGroup = ({ title, connections, note: about }: ConnectionGroup): Html => html`
<h3>${title}</h3>${about === undefined ? [] : html`<p>${about}</p>`}
<dl>${connections.map(
  ({ name, value, note: more }) =>
    html`<div><dt>${name}</dt><dd><code>${value}</code>${note(more)}</dd>${copyButton(name)}</div>`,
)}</dl>`

function zoneSection({ id, name, status, records }: ShownZone): Html {
  const more = records.length - maxRecords
  return html`
  <h3>${name} <small>${id}, ${status}</small></h3>
  ${table(
    `Records of ${name}`,
    ['Type', 'Name', 'Content', 'TTL', 'Proxied'],
    records
      .slice(0, maxRecords)
      .map(({ type, name: owner, content, ttl, proxied }) => [
        type,
        owner,
        content,
        ttl === 1 ? 'auto' : ttl,
        proxied ? 'yes' : 'no',
      ]),
  )}
  ${more > 0 ? html`<p>${more} more not shown.</p>` : []}`
}

function workersSection(overview: Overview): Html {
  const workers = overview.workers()
  const databases = overview.databases()
  const lines = overview.console().slice(-maxConsoleLines)
  if (workers.length === 0 && databases.length === 0) {
    return html`<p>No Workers or databases yet. See the examples above.</p>`
  }
  return html`
  ${table(
    'Workers',
    ['Worker', 'Hostnames and routes', 'Bindings', 'Uploaded'],
    workers.map(({ name, addresses, bindings, modifiedOn }) => [
      name,
      addresses.join(', ') || 'none',
      bindings.map(binding => `${binding.name} (${binding.type})`).join(', ') || 'none',
      modifiedOn,
    ]),
  )}
  ${table(
    'Databases',
    ['Database', 'Id', 'Created'],
    databases.map(({ name, uuid, createdAt }) => [name, uuid, createdAt]),
  )}
  ${
    lines.length === 0
      ? []
      : html`<h3>Console output</h3><pre>${lines
          .map(({ at, level, message }) => `${at} ${level} ${message}`)
          .join('\n')}</pre>`
  }`
}

function requestsSection(journal: Journal): Html {
  const entries = journal.entries().slice(-maxRequests).reverse()
  return entries.length === 0
    ? html`<p>No requests yet.</p>`
    : table(
        'Last requests',
        ['Time', 'Service', 'Method', 'Path', 'Status', 'Token', 'Fault'],
        entries.map(({ at, service, method, path, query, status, tokenId, fault }) => [
          at.slice(11, 19),
          service,
          method,
          query === '' ? path : `${path}?${query}`,
          status ?? 'none',
          tokenId?.slice(0, 8) ?? '',
          fault ?? '',
        ]),
      )
}

/** Renders the page. */
function page({ overview, journal, description }: HomePageState): string {
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Homeport sandbox</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Homeport sandbox</h1>
<p>Emulators of the services that Homeport calls. They run on this machine only and keep no data after they stop.</p>
<nav aria-label="On this page"><a href="#connect">Connect a client</a> <a href="#examples">Examples</a> <a href="#zones">Zones</a> <a href="#workers">Workers</a>
<a href="#requests">Last requests</a></nav>
<p role="status"></p>
<h2 id="connect">Connect a client</h2>
${connectionsOf(description).map(connectionGroup)}
<h2 id="examples">Examples</h2>
${examplesFor(description).map(
  ({ title, text: lines, note: about }) =>
    html`<div class="example"><h3>${title}${note(about)}</h3>${copyButton(title)}<pre>${lines}</pre></div>`,
)}
<h2 id="zones">Zones and records</h2>
${overview.zones().map(zoneSection)}
<h2 id="workers">Workers and databases</h2>
${workersSection(overview)}
<h2 id="requests">Last requests</h2>
${requestsSection(journal)}
</main>
<script>${script}</script>
</body>
</html>
`
  return text
}

/** Whether a browser on this machine requests the page. */
function isForBrowser(head: RequestHead): boolean {
  const { method, path, headers } = head
  const isPage = method === 'GET' && path === '/' && /\btext\/html\b/.test(headers['accept'] ?? '')
  return isPage && isLoopback(hostOf(head))
}

/** Returns the service of the home page, which runs one script, loads no resources and cannot be framed. */
export function homePageService(shown: HomePageState): Service {
  const answer = () => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src ${scriptHash}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    body: page(shown),
  })
  return {
    name: 'home page',
    unrecorded: true,
    claim: head => (isForBrowser(head) ? 0 : undefined),
    answer,
  }
}
