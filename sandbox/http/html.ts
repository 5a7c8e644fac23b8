/** HTML that is inserted without escaping. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

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

function rendered(value: Value): string {
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escaped(String(value))
}

/** Builds HTML from a template and escapes every value that is not HTML. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.reduce((text, part, at) => `${text}${rendered(values[at - 1] ?? '')}${part}`))
