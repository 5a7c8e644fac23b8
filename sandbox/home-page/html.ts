/** Text that is HTML already. Everything else is escaped when it is put into HTML. */
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

/** Makes a text harmless inside an element or a quoted attribute. Control characters are shown as a question mark. */
const escaped = (text: string): string =>
  text
    .replace(/[&<>"']/g, character => entities[character] ?? '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '?')

const rendered = (value: Value): string => {
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(({ text }) => text).join('') : escaped(String(value))
}

/** HTML from a template: what is put in is escaped, unless it is HTML. */
export const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(parts.reduce((text, part, at) => `${text}${rendered(values[at - 1] ?? '')}${part}`))
