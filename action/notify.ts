import type { Exchange } from '../lib/exchange.ts'
import type { RecordResult } from './result.ts'
import { tell } from './tell.ts'

/**
 * How a message is sent: `text` as the body, for ntfy, or `json` with the message twice, as `text` for Slack and as `content`
 * for Discord.
 */
export const notifyFormats = ['text', 'json'] as const

/** Whom to tell of changes. */
interface Notify {
  /** A secret. */
  readonly url: string
  readonly format: (typeof notifyFormats)[number]
}

/** What a message says about a record. */
export type Change = Pick<RecordResult, 'hostname' | 'type' | 'previousAddress' | 'address' | 'drift'>

/** Discord refuses a longer `content` (discord.com/developers, "Execute Webhook"), and ntfy turns one of twice that length into an attachment. */
const maxMessageCharacters = 2000
/** Enough for the line that counts the others. */
const roomForCount = 20

/**
 * Sends one message about all records whose change Cloudflare confirmed in a round, with their addresses. Returns a warning if it was
 * not accepted, which names the host and nothing else of the URL.
 */
export async function notify(
  to: Notify,
  records: readonly RecordResult[],
  exchange: Exchange,
  limitMs?: number,
): Promise<readonly string[]> {
  // A record that was written but is not served counts too: the next round finds it unchanged.
  const changes = records.filter(({ result, ifServed }) =>
    ['updated', 'created'].includes(ifServed ?? result),
  )
  if (changes.length === 0) return []
  const text = messageOf(changes)
  const isJson = to.format === 'json'
  const headers = { 'Content-Type': isJson ? 'application/json' : 'text/plain' }
  const body = isJson ? JSON.stringify({ text, content: text }) : text
  const what = `${new URL(to.url).host} did not accept the message`
  return tell(exchange, { method: 'POST', url: to.url, headers, body }, what, limitMs)
}

/** Returns a line for each change, and counts those that do not fit. Contains no &, < or >, which Slack wants escaped. */
export function messageOf(changes: readonly Change[]): string {
  const lines = changes.map(describeChange)
  const text = lines.join('\n')
  if (text.length <= maxMessageCharacters) return text
  const shown = text.slice(0, text.lastIndexOf('\n', maxMessageCharacters - roomForCount))
  return `${shown}\nand ${lines.length - shown.split('\n').length} more`
}

function describeChange({ hostname, type, previousAddress, address, drift }: Change): string {
  const parts = drift.map(({ field, found, wanted }) => `${field} changed from ${found} to ${wanted}`)
  if (previousAddress === null) parts.unshift(`created with ${address}`)
  else if (previousAddress !== address) parts.unshift(`changed from ${previousAddress} to ${address}`)
  return `${hostname} (${type}): ${parts.join(', ')}`
}
