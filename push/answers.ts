import type { Problem, Reason } from '../action/problem.ts'

/** What a line of an answer starts with. The clients' reactions to each are in docs/push.md. */
export type Word = 'good' | 'nochg' | 'nohost' | 'notfqdn' | 'numhost' | 'badauth' | 'dnserr' | '911'

/** A line of an answer. */
export interface Line {
  readonly word: Word
  /** The addresses that the records hold, or a sentence. Never remote text: some clients look for words anywhere in it. */
  readonly text?: string
}

/** Better ones first. A line that stands for several records has the worst of them. */
const order: readonly Word[] = ['nochg', 'good', 'nohost', 'notfqdn', 'numhost', 'badauth', 'dnserr', '911']

/** What may pass. With any status but 5xx, inadyn exits for good, and OPNsense takes the address as stored. */
const passing: readonly Word[] = ['dnserr', '911']

/** What stays until somebody changes a setting or a record, by what was found before anything was written. */
const words: Readonly<Partial<Record<Reason, Word>>> = {
  'record-missing': 'nohost',
  'record-conflict': 'nohost',
  'record-read-only': 'nohost',
  'not-served': 'nohost',
  'record-ambiguous': 'numhost',
  'address-not-public': 'dnserr',
  'address-unexpected': 'dnserr',
}

const sentences: Readonly<Partial<Record<Reason, string>>> = {
  'address-not-public': 'This address is private, shared or reserved.',
  'address-unexpected': "This address is in a range of Cloudflare's proxy or outside EXPECTED_CIDR.",
}

/** Returns the line for a problem that was found before anything was written. */
export function lineFor({ reason }: Problem): Line {
  const text = sentences[reason]
  return { word: words[reason] ?? '911', ...(text && { text }) }
}

/** Returns one line for the records of a name: the worst, or all their addresses. ddclient 4 splits them at commas. */
export function joinLines(lines: readonly Line[]): Line {
  const [worst] = lines.toSorted((one, other) => order.indexOf(other.word) - order.indexOf(one.word))
  if (!worst) return { word: '911' }
  if (!isRight(worst)) return worst
  return { word: worst.word, text: lines.map(({ text }) => text).join(',') }
}

/** Whether the records of a line are confirmed. */
export function isRight({ word }: Line): boolean {
  return word === 'good' || word === 'nochg'
}

const defaultRetryAfterSeconds = 60

/**
 * Returns the answer with these lines. Its length is known, because ddclient 3.10 reads the length of a chunk as the
 * answer. One line that may pass makes the whole answer 503.
 */
export function answer(lines: readonly Line[], retryAfterSeconds = defaultRetryAfterSeconds): Response {
  const body = lines.map(({ word, text }) => `${text === undefined ? word : `${word} ${text}`}\n`).join('')
  const isPassing = lines.some(({ word }) => passing.includes(word))
  const isRefused = !isPassing && lines.some(({ word }) => word === 'badauth')
  return plain(isPassing ? 503 : isRefused ? 401 : 200, body, {
    ...(isPassing && { 'Retry-After': String(retryAfterSeconds) }),
    ...(isRefused && { 'WWW-Authenticate': 'Basic realm="Homeport"' }),
  })
}

/** Returns a plain answer that no cache keeps, and nothing on the way compresses. */
export function plain(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'text/plain',
      'Content-Length': String(body.length),
      'Cache-Control': 'no-store, no-transform',
      ...headers,
    },
  })
}
