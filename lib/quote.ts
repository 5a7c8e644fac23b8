import { isIpv6 } from './ip-address.ts'
import { redact } from './redact.ts'

const maxQuotedCharacters = 160

/**
 * Makes remote text safe inside a message: one line of printable ASCII in double quotes, at most 160 characters. The
 * runner obeys `::command::` at the start of a line and `##[command]` anywhere in one, so line breaks are escaped, and
 * `#[` is broken up, as is `::` outside IPv6 addresses. Escapes also keep bidirectional and control characters out of
 * a terminal, and code out of Markdown. Redaction comes first, while secrets are whole: neither an escape nor the cut may
 * leave a part of one.
 */
export function quote(remote: string): string {
  return truncateAndEscape(redact(remote), JSON.stringify)
}

/** Quotes a value of JSON as `quote` does: text in double quotes, another value as JSON, `nothing` if it is missing. */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  return value === undefined || value === null
    ? 'nothing'
    : truncateAndEscape(redact(JSON.stringify(value)), text => text)
}

function truncateAndEscape(text: string, write: (text: string) => string): string {
  const shown = text.slice(0, maxQuotedCharacters)
  const escaped = write(shown)
    .replace(/[^\x20-\x7e]|`/g, escapeUnits)
    .replaceAll('#[', '\\u0023[')
    .replace(/[^\s"',()]*::[^\s"',()]*/g, word =>
      // A command has it twice, an address or a range once.
      word !== '::' && isIpv6(word.replace(/\/\d{1,3}$/, '')) ? word : word.replaceAll('::', ':\\u003a'),
    )
  return shown.length < text.length ? `${escaped} (truncated, ${text.length} characters)` : escaped
}

/**
 * Escapes what a terminal would act on or not show, as `\u001b`: controls, line breaks, invisible and unassigned
 * characters, direction overrides. Everything else stays, so that people can read a name.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits)
}

const maxStartCharacters = 300

/** Returns the first 300 characters of a message of another program, as `printable` does. */
export function printableStart(message: string): string {
  return printable(message.slice(0, maxStartCharacters))
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}
