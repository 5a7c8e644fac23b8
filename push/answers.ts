import type { Reason } from '../action/problem.ts'
import type { Kept } from './keep.ts'

/** What a line of an answer starts with. The clients' reactions to each are in docs/router-reference.md. */
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

/** The line for a problem that was found before anything was written, or after a confirmed write. Other problems may pass. */
const lines: Readonly<Partial<Record<Reason, Line>>> = {
  'record-missing': { word: 'nohost' },
  'record-conflict': { word: 'nohost' },
  'record-read-only': { word: 'nohost' },
  'not-served': { word: 'nohost' },
  'record-ambiguous': { word: 'numhost' },
  'address-not-public': { word: 'dnserr', text: 'This address is private, shared or reserved.' },
  'address-unexpected': {
    word: 'dnserr',
    text: "This address is in a range of Cloudflare's proxy or outside EXPECTED_CIDR.",
  },
}

/** Returns the line for a record. */
export function lineFor({ result: { result, problem, address }, unsettled }: Kept): Line {
  if (problem) return (unsettled ? null : lines[problem.reason]) ?? { word: '911' }
  return { word: result === 'unchanged' ? 'nochg' : 'good', text: address ?? '' }
}

/**
 * Returns one line for the records of a name: the worst, or all their addresses, which ddclient 4 splits at commas. A name without any
 * must wait.
 */
export function joinLines(all: readonly Line[]): Line {
  const worst = all.toSorted((one, other) => order.indexOf(other.word) - order.indexOf(one.word))[0]
  if (!worst || !isRight(worst)) return worst ?? { word: '911' }
  return { word: worst.word, text: all.map(({ text }) => text).join(',') }
}

/** Whether the records of a line are confirmed. */
export function isRight({ word }: Line): boolean {
  return word === 'good' || word === 'nochg'
}

/**
 * Returns the answer with these lines. Its length is known, because ddclient 3.10 reads the length of a chunk as the
 * answer. One line that may pass makes the whole answer 503, without a word of success: OpenWrt and pfSense look for those
 * anywhere, whatever the status.
 */
export function answer(all: readonly Line[], retryAfterSeconds = 60): Response {
  const isPassing = all.some(({ word }) => passing.includes(word))
  const shown = all.map((line): Line => (isPassing && isRight(line) ? { word: '911' } : line))
  const body = shown.map(({ word, text }) => `${text === undefined ? word : `${word} ${text}`}\n`).join('')
  if (isPassing) return plain(503, body, { 'Retry-After': String(retryAfterSeconds) })
  if (all.some(({ word }) => word === 'badauth'))
    return plain(401, body, { 'WWW-Authenticate': 'Basic realm="Homeport"' })
  return plain(200, body)
}

/** Returns a plain answer that no cache keeps, and nothing on the way compresses. */
export function plain(status: number, body: string, more: Readonly<Record<string, string>> = {}): Response {
  const headers = {
    'Content-Type': 'text/plain',
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store, no-transform',
  }
  return new Response(body, { status, headers: { ...headers, ...more } })
}
