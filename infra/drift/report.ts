import type { Difference } from './difference.ts'

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

/** Formats a difference as one line. */
export function lineOf({ text, cure }: Difference): string {
  return `${text} ${cure}`
}

/** Formats a difference as a workflow command of GitHub Actions, escaped as @actions/core does. */
export function annotationOf(difference: Difference): string {
  const message = lineOf(difference).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `::${difference.level} title=Drift::${message}`
}

/** Formats the job's summary. As preformatted HTML, no remote text can become Markdown. */
export function summaryOf(stack: string, differences: readonly Difference[]): string {
  const title = `## Drift of stack ${escapeHtml(stack)}\n\n`
  if (differences.length === 0) return `${title}No drift.\n`
  return `${title}<pre>\n${differences.map(one => `${escapeHtml(lineOf(one))}\n`).join('')}</pre>\n`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
