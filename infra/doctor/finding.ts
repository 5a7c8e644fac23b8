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

export type Step = keyof typeof withSignIn

/** A page that leads through a set-up, with the heading of each step in its order. */
export interface Path {
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
      repository: 'F. Use the token',
      github: 'F. Use the token',
      handOver: 'F. Use the token',
    },
  },
} as const satisfies Readonly<Record<string, Path>>

/** What one look found: sentences for the operator, which never hold a secret. */
export interface Finding {
  /** `error`: missing, or not as declared. `warning`: the same, but it still works. `note`: worth knowing, and fine. */
  readonly level: 'ok' | 'note' | 'warning' | 'error'
  readonly text: string
  /** What to run or to do about an error or a warning. */
  readonly fix?: string
  /** Where it belongs in a set-up. A comparison has no steps. */
  readonly step?: Step
}

/** A finding of a set-up. */
export type StepFinding = Finding & { readonly step: Step }

/** Returns a function for each kind of finding of a step. */
export function findingsOf(step: Step) {
  return {
    ok: (text: string): StepFinding => ({ step, level: 'ok', text }),
    note: (text: string): StepFinding => ({ step, level: 'note', text }),
    missing: (text: string, fix: string): StepFinding => ({ step, level: 'error', text, fix }),
  }
}

/** What a look read, or the finding that it could not be read. */
export type ReadResult<T, Problem = Finding> = { readonly value: T } | { readonly problem: Problem }

/** Compares what was read, or reports that it was not, so that a blind run is never green. */
export function ifRead<T>(
  result: ReadResult<T>,
  compare: (value: T) => readonly Finding[],
): readonly Finding[] {
  return 'value' in result ? compare(result.value) : [result.problem]
}

/** Returns a finding about something that a comparison could not read. @param reason ends with a full stop */
export function unreadable(subject: string, reason: string, fix: string): Finding {
  return differs(`Could not read ${subject}: ${reason}`, fix)
}

/** Returns a finding about something that is missing, or not as declared. */
export function differs(text: string, fix: string): Finding {
  return { level: 'error', text, fix }
}

/** Returns a finding about something that still works, but will not for long or is not finished. */
export function warns(text: string, fix: string): Finding {
  return { level: 'warning', text, fix }
}
