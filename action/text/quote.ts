import { isIpv6 } from '../../lib/ip-address.ts'
import { redact } from './redact.ts'

const maxQuotedCharacters = 160

/**
 * Makes remote text safe inside a message: one line of printable ASCII in double quotes, at most 160 characters. The
 * runner obeys `::command::` at the start of a line and `##[command]` anywhere in one, so line breaks are escaped, and
 * `#[` is broken up, as is `::` outside IPv6 addresses. Escapes also keep bidirectional and control characters out of
 * a terminal. Redaction comes first, while secrets are whole: neither an escape nor the cut may leave a part of one.
 */
export function quote(remote: string): string {
  const redacted = redact(remote)
  const shown = redacted.slice(0, maxQuotedCharacters)
  const escaped = JSON.stringify(shown)
    .replace(/[^\x20-\x7e]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('#[', '\\u0023[')
    .replace(/[^\s"',()]*::[^\s"',()]*/g, word =>
      isAddress(word) ? word : word.replaceAll('::', ':\\u003a'),
    )
  return shown.length < redacted.length ? `${escaped} (truncated, ${redacted.length} characters)` : escaped
}

/** Returns whether a word is an IPv6 address or range, which has `::` once; a command has it twice. */
function isAddress(word: string): boolean {
  return /^[0-9a-f:.]+(\/\d{1,3})?$/i.test(word) && isIpv6(word.replace(/\/.*/, '')) && word !== '::'
}
