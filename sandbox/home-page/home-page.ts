import type { SandboxDescription } from '../description.ts'
import type { RequestHead } from '../http/exchange.ts'
import type { Journal, JournalEntry } from '../http/journal.ts'
import type { Service } from '../http/service.ts'
import { isForLoopback } from '../http/virtual-hosts.ts'
import { examplesFor } from './examples.ts'
import { type Html, html } from './html.ts'
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
export interface Overview {
  zones(): readonly ShownZone[]
  workers(): readonly ShownWorker[]
  databases(): readonly { readonly name: string; readonly uuid: string; readonly createdAt: string }[]
  /** Returns the console lines of Workers. */
  console(): readonly { readonly at: string; readonly level: string; readonly message: string }[]
}

/** The state that the home page shows. */
export interface HomePageState {
  readonly overview: Overview
  readonly journal: Journal
  readonly description: SandboxDescription
}

const maxRecords = 100
const maxRequests = 30
const maxConsoleLines = 20

const table = (caption: string, heads: readonly string[], rows: readonly Html[]): Html => html`
  <div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
    <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`

const definitions = (rows: readonly (readonly [name: string, value: string, note?: string])[]): Html =>
  html`<dl>${rows.map(
    ([name, value, note]) =>
      html`<div><dt>${name}</dt><dd><code>${value}</code>${note === undefined ? [] : html` <small>${note}</small>`}</dd></div>`,
  )}</dl>`

const services = ({ cloudflare, nameServer, echo, doh, control, https, entra }: SandboxDescription): Html =>
  definitions([
    ['DNS API', cloudflare.apiUrl],
    ['DNS API, HTTPS', `${cloudflare.httpsUrl}/client/v4`, '--ca FILE saves its certificate authority'],
    ['Workers', `ports ${new URL(cloudflare.baseUrl).port} and ${https.port}`, 'selected by the Host header'],
    ['name server', `${nameServer.host}:${nameServer.port}`, 'UDP and TCP'],
    ...doh.map((url, at) => [`resolver ${at + 1}`, url, 'DNS over HTTPS'] as const),
    ...echo.map((url, at) => [`address echo ${at + 1}`, url] as const),
    ...(entra
      ? ([
          ['sign-in', entra.instance],
          ['directory', entra.graphUrl],
        ] as const)
      : []),
    ['control interface', control],
  ])

const credentials = ({ cloudflare }: SandboxDescription): Html =>
  definitions([
    ['account', cloudflare.accountId],
    ['zone', cloudflare.zoneId, cloudflare.zoneName],
    ['DNS token', cloudflare.dnsToken, 'can edit DNS in this zone'],
    ['admin token', cloudflare.adminToken, 'can do everything'],
  ])

const recordRow = ({ type, name, content, ttl, proxied }: ShownRecord): Html => html`
      <tr><td>${type}</td><td>${name}</td><td class="long">${content}</td><td>${
        ttl === 1 ? 'auto' : ttl
      }</td><td>${proxied ? 'yes' : 'no'}</td></tr>`

function zoneSection({ id, name, status, records }: ShownZone): Html {
  const more = records.length - maxRecords
  return html`
  <h3>${name} <small>${id}, ${status}</small></h3>
  ${table(
    `Records of ${name}`,
    ['Type', 'Name', 'Content', 'TTL', 'Proxied'],
    records.slice(0, maxRecords).map(recordRow),
  )}
  ${more > 0 ? html`<p>${more} more not shown.</p>` : []}`
}

function workersSection(overview: Overview): Html {
  const workers = overview.workers()
  const databases = overview.databases()
  const lines = overview.console().slice(-maxConsoleLines)
  if (workers.length === 0 && databases.length === 0) {
    return html`<p>No Workers or databases yet. See the examples below.</p>`
  }
  return html`
  ${table(
    'Workers',
    ['Worker', 'Hostnames and routes', 'Bindings', 'Uploaded'],
    workers.map(
      ({ name, addresses, bindings, modifiedOn }) => html`
      <tr><td>${name}</td><td>${addresses.join(', ') || 'none'}</td><td>${
        bindings.map(binding => `${binding.name} (${binding.type})`).join(', ') || 'none'
      }</td><td>${modifiedOn}</td></tr>`,
    ),
  )}
  ${table(
    'Databases',
    ['Database', 'Id', 'Created'],
    databases.map(
      ({ name, uuid, createdAt }) => html`<tr><td>${name}</td><td>${uuid}</td><td>${createdAt}</td></tr>`,
    ),
  )}
  ${
    lines.length === 0
      ? []
      : html`<h3>Console output</h3><pre tabindex="0">${lines
          .map(({ at, level, message }) => `${at} ${level} ${message}`)
          .join('\n')}</pre>`
  }`
}

const requestRow = ({ at, service, method, path, query, status, tokenId, fault }: JournalEntry): Html => html`
      <tr><td>${at.slice(11, 19)}</td><td>${service}</td><td>${method}</td><td class="long">${path}${
        query === '' ? '' : `?${query}`
      }</td><td>${status ?? 'none'}</td><td>${tokenId === null ? '' : tokenId.slice(0, 8)}</td><td>${fault ?? ''}</td></tr>`

function requestsSection(journal: Journal): Html {
  const entries = journal.entries().slice(-maxRequests).reverse()
  return entries.length === 0
    ? html`<p>No requests yet.</p>`
    : table(
        'Last requests',
        ['Time', 'Service', 'Method', 'Path', 'Status', 'Token', 'Fault'],
        entries.map(requestRow),
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
<p>Emulators of a DNS service with Workers and databases, a name server, resolvers and address echoes. They run on this
machine only and keep no data after they stop.</p>
<nav aria-label="On this page"><a href="#services">Services</a> <a href="#zones">Zones</a> <a href="#workers">Workers</a>
<a href="#requests">Last requests</a> <a href="#examples">Examples</a></nav>
<h2 id="services">Services</h2>
${services(description)}
<h2>Ids and tokens</h2>
${credentials(description)}
<h2 id="zones">Zones and records</h2>
${overview.zones().map(zoneSection)}
<h2 id="workers">Workers and databases</h2>
${workersSection(overview)}
<h2 id="requests">Last requests</h2>
${requestsSection(journal)}
<h2 id="examples">Examples</h2>
${examplesFor(description).map(
  ({ title, text: lines, note }) =>
    html`<h3>${title}${note === undefined ? [] : html` <small>${note}</small>`}</h3><pre tabindex="0">${lines}</pre>`,
)}
</main>
</body>
</html>
`
  return text
}

/** Whether a browser on this machine requests the page. */
function isForBrowser(head: RequestHead): boolean {
  const { method, path, headers } = head
  const isPage = method === 'GET' && path === '/' && /\btext\/html\b/.test(headers['accept'] ?? '')
  return isPage && isForLoopback(head)
}

/** Returns the service of the home page, which has no scripts, loads no resources and cannot be framed. */
export function homePageService(shown: HomePageState): Service {
  const answer = () => ({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
