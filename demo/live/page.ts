import { createHash } from 'node:crypto'
import { Html, html } from '../../sandbox/http/html.ts'
import type { JournalEntry } from '../../sandbox/http/journal.ts'
import type { FollowedRecord, Round } from '../followed-record.ts'
import type { DeclaredField, DeclaredResource } from './declared.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** A part of the demo that takes longer to start, or the reason why it failed. */
export type Part<Value> = PromiseSettledResult<Value> | 'starting'

/** What the page shows. */
export interface LiveState {
  readonly record: FollowedRecord
  /** Whether a round is running. */
  readonly running: boolean
  readonly declared: Part<readonly DeclaredResource[]>
  readonly signIn: Part<unknown>
  /** Newest first. */
  readonly requests: readonly JournalEntry[]
}

/** Seconds between two rounds while somebody watches. */
export const roundSeconds = 10
/** Rounds for each change of the address. */
export const roundsPerAddress = 3
export const paths = {
  page: '/live',
  events: '/live/events',
  address: '/live/address',
  round: '/live/round',
} as const
const maxCharacters = 160

/** Shortens remote text. */
function cut(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
}

const timeOf = (date: Date): string => date.toTimeString().slice(0, 8)

const mark = (good: boolean): Html =>
  good ? html`<span class="good">✓</span>` : html`<span class="bad">✗</span>`

/** Returns the inner HTML of every part that changes, by the id of its element. */
export function partsOf(state: LiveState): Readonly<Record<string, string>> {
  const parts = {
    state: stateLine(state),
    address: addressPart(state),
    rounds: roundsPart(state),
    record: recordPart(state),
    declared: declaredPart(state),
    'sign-in': signInPart(state),
    requests: state.requests.map(requestRow),
  }
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, html`${part}`.text]))
}

function stateLine({ record: { hostname, address, served, rounds } }: LiveState): Html {
  const [last] = rounds
  if (last && last.status !== 0)
    return html`The last round failed: ${cut(last.outputs['reason'] ?? 'no reason')}.`
  if (served.some(({ address: shown }) => shown !== address))
    return html`Not every name server answers ${address} yet. The next round publishes it.`
  return html`Every name server answers ${address} for ${hostname}.`
}

function addressPart({ record: { reporter, address, served } }: LiveState): Html {
  const [first] = served
  return html`<p class="address">${first?.address ?? 'no address'}</p>
<ul>${served.map(
    ({ server, address: shown, ttl }) =>
      html`<li>${mark(shown === address)} Name server <code>${server}</code> answers
<code>${shown ?? 'nothing'}</code>${ttl === null ? [] : html`, TTL ${ttl} s`}${
        shown === address ? [] : html` (not the current address yet)`
      }</li>`,
  )}
<li>${mark(true)} ${reporter} <code>${address}</code></li></ul>`
}

function roundsPart({ record, running }: LiveState): readonly Html[] {
  return [...(running ? [html`<li>A round is running…</li>`] : []), ...record.rounds.map(roundItem)]
}

function roundItem({ startedAt, status, outputs, elapsedMs }: Round): Html {
  const { result = 'failed', address = '', 'previous-address': before = '', reason = '', requests } = outputs
  const change = result === 'updated' ? `${before} → ${address}` : address
  return html`<li class="${status === 0 ? result : 'failed'}"><strong>${cut(result)}</strong>
<code>${cut(status === 0 ? change : reason)}</code><br>
<span class="quiet"><time datetime="${startedAt.toISOString()}">${timeOf(startedAt)}</time>,
${requests ?? 'no'} requests, ${(elapsedMs / 1000).toFixed(2)} s</span></li>`
}

/** Renders a part, or why there is nothing to show yet. */
function whenReady<Value>(part: Part<Value>, starting: string, show: (value: Value) => Html): Html {
  if (part === 'starting') return html`<p class="quiet">${starting}</p>`
  if (part.status === 'rejected') return html`<p><span class="bad">✗</span> ${part.reason.message}</p>`
  return show(part.value)
}

const programRuns = 'Running the Pulumi program in the embedded engine…'

function recordPart({ declared, record: { served } }: LiveState): Html {
  return whenReady(declared, programRuns, resources => {
    const found = resources.find(({ kind }) => kind === 'DnsRecord')
    const now = served[0]?.address ?? 'no address'
    const fields = found?.fields.map(field => (field.owner === 'action' ? { ...field, value: now } : field))
    return fieldList(fields ?? [])
  })
}

const fieldList = (fields: readonly DeclaredField[]): Html =>
  html`<dl>${fields.map(
    ({ name, value, owner }) =>
      html`<div><dt>${name}</dt><dd>${value}</dd><dd><span class="badge ${owner}">${owner}</span></dd></div>`,
  )}</dl>`

function declaredPart({ declared }: LiveState): Html {
  return whenReady(declared, programRuns, resources => html`${resources.map(resourceItem)}`)
}

function resourceItem({ name, kind, needs, fields }: DeclaredResource): Html {
  const owners = [...new Set(fields.map(({ owner }) => owner))].toSorted()
  return html`<details id="resource-${name}"><summary>${name} <span class="quiet">${kind}</span>
${owners.map(owner => html`<span class="badge ${owner}">${owner}</span> `)}</summary>
${needs.length === 0 ? [] : html`<p class="quiet">Needs ${needs.join(', ')}</p>`}
${fieldList(fields)}</details>`
}

function signInPart({ signIn }: LiveState): Html {
  return whenReady(
    signIn,
    'Starting the sign-in handler and its database…',
    () => html`<p class="row"><a class="button" href="/?return=${paths.page}">Sign in</a>
<span class="quiet">Choose alice@example.com, an employee, or contractor@example.com, who is refused.</span></p>`,
  )
}

const requestHeads = ['Time', 'Service', 'Status', 'Method', 'Path', 'Token']

function requestRow({ at, service, method, path, query, status, tokenId }: JournalEntry): Html {
  const cells = [
    timeOf(new Date(at)),
    service,
    status ?? 'none',
    method,
    query === '' || service === 'dns' ? path : `${path}?${query}`,
    tokenId?.slice(0, 8) ?? '',
  ]
  return html`<tr>${cells.map(cell => html`<td>${cut(String(cell))}</td>`)}</tr>`
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Content-Security-Policy that allows only the page's own script and style. */
export const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "form-action 'self'",
  'img-src data:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Renders the page as it is now. In a browser that runs its script, it updates itself.
 * @param user who is signed in; null if nobody is
 */
export function renderPage(state: LiveState, user: string | null): string {
  const parts = partsOf(state)
  const part = (name: string): Html => new Html(parts[name] ?? '')
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${state.record.hostname} · Homeport</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
<section class="wide">
<h1>${state.record.hostname}</h1>
<p>Homeport keeps this hostname pointed at an address that changes, and signs employees in to the service behind it. Here,
emulators on this machine take the place of Cloudflare, Microsoft Entra and GitHub.</p>
<div id="address" data-part>${part('address')}</div>
</section>
<noscript><p class="wide">Without JavaScript, this page does not update itself. Reload it.</p></noscript>
<p id="state" class="wide" role="status" data-part>${part('state')}</p>
<section>
<h2>Rounds of the action</h2>
<p class="quiet">While a page is open, ${state.record.publisher} every ${roundSeconds} seconds, and the address changes every
${roundsPerAddress} rounds.</p>
<div class="row">
<form method="post" action="${paths.address}"><button class="first">Change the address</button></form>
<form method="post" action="${paths.round}"><button>Run a round</button></form>
</div>
<div class="scroll" role="region" aria-label="Rounds" tabindex="0"><ol id="rounds" class="rounds" data-part>${part('rounds')}</ol></div>
</section>
<div class="column">
<section>
<h2>Who owns the record</h2>
<p class="quiet">Pulumi declares the record, the action keeps its content, and people may write comment and tags.</p>
<div id="record" data-part>${part('record')}</div>
</section>
<section>
<h2>Sign-in for the service behind it</h2>
${user === null ? html`<div id="sign-in" data-part>${part('sign-in')}</div>` : signedIn(user)}
</section>
</div>
<section class="wide">
<h2>What the Pulumi program declares</h2>
<p class="quiet">The embedded engine ran the program; it created nothing here.</p>
<div id="declared" data-part>${part('declared')}</div>
</section>
<section class="wide">
<h2>Last requests</h2>
<p class="quiet">What reached the emulators, with credentials redacted.</p>
<div class="scroll" role="region" aria-label="Last requests" tabindex="0"><table>
<thead><tr>${requestHeads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody id="requests" data-part>${part('requests')}</tbody>
</table></div>
</section>
</main>
<script>${new Html(script)}</script>
</body>
</html>
`.text
}

const signedIn = (user: string): Html =>
  html`<p><span class="good">✓</span> Signed in as <strong>${user}</strong>. <a href="/dashboard">Your session</a></p>`
