import type { Finding, Path, StepFinding } from './finding.ts'

/** What `npm run drift` and `npm run bootstrap` print. */

/** Formats a finding as one line. */
export function lineOf({ text, fix }: Finding): string {
  return fix === undefined ? text : `${text} ${fix}`
}

/** Formats a finding as a workflow command of GitHub Actions, escaped as @actions/core does. */
export function annotationOf(finding: Finding): string {
  const message = lineOf(finding).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `::${finding.level} title=Drift::${message}`
}

/** Formats the job's summary. As preformatted HTML, no remote text can become Markdown. */
export function summaryOf(stack: string, findings: readonly Finding[]): string {
  const title = `## Drift of stack ${escapeHtml(stack)}\n\n`
  if (findings.length === 0) return `${title}No drift.\n`
  return `${title}<pre>\n${findings.map(one => `${escapeHtml(lineOf(one))}\n`).join('')}</pre>\n`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns what to do next: the first thing that is missing, in the order of the steps; null if nothing is. */
export function nextOf(findings: readonly StepFinding[], path: Path): StepFinding | null {
  return inOrder(findings, path).find(({ level }) => level === 'error') ?? null
}

function inOrder(findings: readonly StepFinding[], { steps }: Path): readonly StepFinding[] {
  return Object.keys(steps).flatMap(name => findings.filter(({ step }) => step === name))
}

const headingOf = ({ step }: StepFinding, { steps }: Path): string => steps[step] ?? ''

/** How the report of a set-up calls a level. */
const stateOf = ({ level }: Finding): string => (level === 'error' ? 'missing' : level)

/** Formats the report of a set-up for people: what was found, by step, and the next step. */
export function reportOf(findings: readonly StepFinding[], path: Path): string {
  const sections = Map.groupBy(inOrder(findings, path), one => headingOf(one, path))
  const lines = [...sections].flatMap(([heading, those]) => [
    heading,
    ...those.map(one => `  ${stateOf(one).padEnd(7)} ${one.text}`),
    '',
  ])
  const next = nextOf(findings, path)
  if (next === null) return [...lines, 'Nothing is missing.', ''].join('\n')
  const count = findings.filter(({ level }) => level === 'error').length
  return [
    ...lines,
    `${count === 1 ? 'One thing is' : `${count} things are`} missing. Next, as ${path.page} says under "${headingOf(next, path)}":`,
    `  ${next.text}`,
    `  ${next.fix}`,
    '',
  ].join('\n')
}

/** Formats the report of a set-up for programs. */
export function jsonOf(findings: readonly StepFinding[], path: Path): string {
  const shownOf = (one: StepFinding) => ({
    step: one.step,
    state: stateOf(one),
    text: one.text,
    fix: one.fix,
  })
  const next = nextOf(findings, path)
  const heading = next && { ...shownOf(next), page: path.page, heading: headingOf(next, path) }
  const all = inOrder(findings, path).map(shownOf)
  return `${JSON.stringify({ complete: next === null, next: heading, findings: all })}\n`
}
