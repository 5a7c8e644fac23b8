const withSignIn = {
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

type Step = keyof typeof withSignIn

/** A page that leads through a set-up, with the heading of each step in its order. */
interface Path {
  readonly page: string
  readonly steps: Readonly<Partial<Record<Step, string>>>
}

/** The page for each kind of stack. */
export const paths = {
  signIn: { page: 'docs/deploy.md', steps: withSignIn },
  record: {
    page: 'docs/deploy.md',
    steps: {
      tools: 'A. Install the tools',
      cloudflare: 'B. Create the Cloudflare tokens',
      state: 'C. Choose the place for the state',
      stack: 'D. Create the stack',
      deploy: 'E. Deploy the record',
      handOver: 'F. Use the token',
    },
  },
} as const satisfies Readonly<Record<string, Path>>

/** What a check found: sentences for the operator, which never hold a secret. */
export interface Finding {
  readonly step: Step
  /** `note`: worth knowing, and fine. */
  readonly level: 'ok' | 'note' | 'missing'
  readonly text: string
  /** What to run or to do about what is missing. */
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

/** The steps that nothing here looks at. */
const unchecked: readonly Step[] = ['github', 'handOver', 'continuous']

/** Formats what was found, by step, and the next step: the first that lacks something, in the order of the page. */
export function reportOf(findings: readonly Finding[], { page, steps }: Path): string {
  const ordered = Object.keys(steps).flatMap(name => findings.filter(({ step }) => step === name))
  const lines = [...Map.groupBy(ordered, ({ step }) => steps[step] ?? '')].flatMap(([heading, those]) => [
    heading,
    ...those.map(({ level, text }) => `  ${level.padEnd(7)} ${text}`),
    '',
  ])
  const [next, ...others] = ordered.filter(({ level }) => level === 'missing')
  const left = unchecked.flatMap(step => steps[step] ?? []).join('; ')
  if (next === undefined) return [...lines, `Nothing is missing. Not checked: ${left}.`, ''].join('\n')
  const count = others.length === 0 ? 'One thing is' : `${others.length + 1} things are`
  return [
    ...lines,
    `Not checked: ${left}.`,
    `${count} missing. Next, as ${page} says under "${steps[next.step]}":`,
    `  ${next.text}`,
    `  ${next.fix}`,
    '',
  ].join('\n')
}
