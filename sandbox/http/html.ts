const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for an element or a quoted attribute. Replaces control characters with question marks. */
export const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, character => entities[character] ?? '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces them.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '?')
