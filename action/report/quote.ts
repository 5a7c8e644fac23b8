import { redact } from './redact.ts'

const maxQuotedCharacters = 160

/**
 * Makes text from outside safe inside a message: one line of printable ASCII in double quotes, 160 characters at
 * the most. The runner obeys `::command::` at the start of a line and `##[command]` anywhere in one, so line breaks
 * are escaped and `#[` is broken up; escapes also keep bidirectional and control characters out of a terminal. What is
 * to be hidden goes first, while it stands there whole: neither an escape nor the cut may leave a part of it.
 */
export function quote(remote: string): string {
  const redacted = redact(remote)
  const shown = redacted.slice(0, maxQuotedCharacters)
  const escaped = JSON.stringify(shown)
    .replace(/[^\x20-\x7e]/g, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('#[', '\\u0023[')
    .replaceAll('::', ':\\u003a')
  return shown.length < redacted.length ? `${escaped} (cut, ${redacted.length} characters)` : escaped
}
