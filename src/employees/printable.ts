/**
 * Escapes what a terminal would act on or not show, as `\u001b`: controls, line breaks, invisible and unassigned
 * characters, direction overrides. Names come from HR, and anything can be in one.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}

/** Returns a number with its noun: `1 employee`, `2 employees`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

/** Longest part of a database's message to show, in characters. */
const maxMessageLength = 300

/** Returns a database's message for use in one of ours. */
export function quoted(message: string): string {
  return printable(message.slice(0, maxMessageLength))
}
