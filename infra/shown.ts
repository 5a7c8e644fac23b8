const maxShownCharacters = 100
const maxValueCharacters = 300

/**
 * Quotes text from a service, without what a terminal, a log or a page could take for more than text: control and format
 * characters, line separators, and the `##[` that GitHub's runner obeys anywhere in a line. Shortens it.
 */
export function shown(text: string | null): string {
  return text === null ? 'nothing' : escaped(JSON.stringify(shorten(text, maxShownCharacters)))
}

/** Quotes a value from a service: text as above, anything else as JSON. */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') return shown(value)
  return value === undefined || value === null
    ? 'nothing'
    : escaped(shorten(JSON.stringify(value), maxValueCharacters))
}

const shorten = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text)

const escaped = (text: string): string =>
  text.replace(
    /[\p{C}\p{Zl}\p{Zp}`]|#(?=\[)/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
