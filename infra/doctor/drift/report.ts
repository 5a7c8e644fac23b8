import type { Difference } from './difference.ts'

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
