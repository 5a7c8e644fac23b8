const maxShownCharacters = 100

/**
 * Quotes text from a service, without what a terminal, a log or a page could take for more than text: control and format
 * characters, and line separators. Shortens it.
 */
export function shown(text: string | null): string {
  if (text === null) return 'nothing'
  const short = text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text
  return JSON.stringify(short).replace(
    /[\p{C}\p{Zl}\p{Zp}`]/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
