/** The steps of a set-up, in order: the headings of docs/bootstrap.md. */
export const steps = {
  tools: '1. Install the tools',
  repository: '2. Copy the repository',
  cloudflare: '3. Create the Cloudflare tokens',
  entra: '4. Create the applications for CI',
  state: '5. Create the place for the state',
  github: '6. Set up GitHub',
  stack: '7. Create the stack',
  deploy: '8. Deploy',
  handOver: '9. Hand over the token',
  continuous: '10. Let CI deploy',
} as const

export type Step = keyof typeof steps

/** The result of one check. */
export interface Finding {
  readonly step: Step
  /** `note` is worth knowing, but nothing is missing. */
  readonly state: 'ok' | 'missing' | 'note'
  /** A sentence. It never holds a secret. */
  readonly text: string
  /** What to run or to do. */
  readonly fix?: string
}

/** Returns a function for each state that makes findings of a step. */
export function findingsOf(step: Step) {
  return {
    ok: (text: string): Finding => ({ step, state: 'ok', text }),
    note: (text: string): Finding => ({ step, state: 'note', text }),
    missing: (text: string, fix: string): Finding => ({ step, state: 'missing', text, fix }),
  }
}

/** Returns what to do next: the first thing that is missing, in the order of the steps. */
export function nextOf(findings: readonly Finding[]): Finding | undefined {
  return inOrder(findings).find(({ state }) => state === 'missing')
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return Object.keys(steps).flatMap(name => findings.filter(({ step }) => step === name))
}

const page = 'docs/bootstrap.md'

/** Formats a report for people: what was found, by step, and the next step. */
export function reportOf(findings: readonly Finding[]): string {
  const sections = Map.groupBy(inOrder(findings), ({ step }) => step)
  const lines = [...sections].flatMap(([step, those]) => [
    steps[step],
    ...those.map(({ state, text }) => `  ${state.padEnd(7)} ${text}`),
    '',
  ])
  const next = nextOf(findings)
  if (next === undefined) return [...lines, 'Nothing is missing.', ''].join('\n')
  const count = findings.filter(({ state }) => state === 'missing').length
  return [
    ...lines,
    `${count === 1 ? 'One thing is' : `${count} things are`} missing. Next, as ${page} says under "${steps[next.step]}":`,
    `  ${next.text}`,
    `  ${next.fix}`,
    '',
  ].join('\n')
}

/** Formats a report for programs. */
export function jsonOf(findings: readonly Finding[]): string {
  const next = nextOf(findings)
  const heading = next && { ...next, page, heading: steps[next.step] }
  return `${JSON.stringify({ complete: next === undefined, next: heading ?? null, findings: inOrder(findings) })}\n`
}
