/** The steps in their order, with their headings in docs/deploy.md and in docs/deploy-record.md. */
const steps = {
  tools: ['1. Install the tools', '1. Install the tools'],
  repository: ['2. Copy the repository', null],
  cloudflare: ['3. Create the Cloudflare tokens', '2. Create the Cloudflare tokens'],
  entra: ['4. Create the applications for CI', null],
  state: ['5. Create the state backend', '3. Choose the state backend'],
  github: ['6. Set up GitHub', null],
  stack: ['7. Create the stack', '4. Create the stack'],
  deploy: ['8. Deploy', '5. Deploy the record'],
  handOver: ['9. Hand over the token', '6. Use the token'],
  continuous: ['10. Let CI deploy', null],
} as const

type Step = keyof typeof steps

/** Returns the headings of a way, by step. */
export function headingsOf(hasSignIn: boolean): ReadonlyMap<string, string> {
  const all = Object.entries(steps).map(([step, ways]) => [step, ways[hasSignIn ? 0 : 1]] as const)
  return new Map(all.flatMap(([step, heading]) => (heading === null ? [] : [[step, heading] as const])))
}

/** What a check found: sentences for the operator, which never hold a secret. */
export interface Finding {
  readonly step: Step
  /** `note`: worth knowing, and fine. */
  readonly level: 'ok' | 'note' | 'missing'
  readonly text: string
  /** What to run or do if something is missing. */
  readonly fix?: string
}

/** Returns a function for each kind of finding of a step. */
export function findingsOf(step: Step) {
  return {
    ok: (text: string): Finding => ({ step, level: 'ok', text }),
    note: (text: string): Finding => ({ step, level: 'note', text }),
    missing: (text: string, fix: string): Finding => ({ step, level: 'missing', text, fix }),
  }
}

/**
 * Formats what was found, by step, and the next step: the first that lacks something, in the order of the page.
 * @param more what was not checked, besides steps
 */
export function reportOf(
  findings: readonly Finding[],
  headings: ReadonlyMap<string, string>,
  more: readonly string[],
): string {
  const ordered = [...headings.keys()].flatMap(name => findings.filter(({ step }) => step === name))
  const lines = [...Map.groupBy(ordered, ({ step }) => headings.get(step))].flatMap(([heading, those]) => [
    heading,
    ...those.map(({ level, text }) => `  ${level.padEnd(7)} ${text}`),
    '',
  ])
  const [next, ...others] = ordered.filter(({ level }) => level === 'missing')
  const later = ['github', 'handOver', 'continuous'].flatMap(step => headings.get(step) ?? [])
  const unchecked = [...later, ...more].join('; ')
  if (next === undefined) return [...lines, `Nothing is missing. Not checked: ${unchecked}.`, ''].join('\n')
  const page = headings.has('entra') ? 'docs/deploy.md' : 'docs/deploy-record.md'
  const count = others.length === 0 ? 'One thing is' : `${others.length + 1} things are`
  return [
    ...lines,
    `Not checked: ${unchecked}.`,
    `${count} missing. Next, as ${page} says under "${headings.get(next.step)}":`,
    `  ${next.text}`,
    `  ${next.fix}`,
    '',
  ].join('\n')
}
