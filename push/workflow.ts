import { quote } from '../lib/quote.ts'
import type { FullReading, Reading } from '../lib/reading.ts'
import { redactTokenShapes } from '../lib/redact.ts'

/** The place of a workflow. */
export interface WorkflowPlace {
  readonly owner: string
  readonly repository: string
  /** The name of a file in `.github/workflows`. */
  readonly file: string
  /** Null for the default branch. */
  readonly branch: string | null
}

/** The workflow that the clock starts, and a token that can write the Actions of its repository. */
export interface Workflow extends WorkflowPlace {
  readonly token: string
}

/** An owner that an enterprise manages has a name with an underscore. */
const form =
  /^([\w-]{1,39})\/(?!\.{1,2}\/)([\w.-]{1,100})\/([^/@\s]{1,100}\.ya?ml)(?:@([^\s~^:?*[\\]{1,255}))?$/i

/** Reads `owner/repository/file.yml`, with `@branch` for another branch than the default one. */
export function readWorkflow(text: string): Reading<WorkflowPlace> {
  const [, owner, repository, file, branch = null] = form.exec(text) ?? []
  if (owner && repository && file) return { value: { owner, repository, file, branch } }
  const fix =
    'Use owner/repository/file.yml, with a file of .github/workflows. Add @branch for another branch'
  return { problem: `is ${text === '' ? 'missing' : quote(text)}. ${fix} than the default one.` }
}

/** How to get the token. */
export const newWorkflowToken =
  'Create a fine-grained token for this repository only, with Actions: read and write.'

/** Reads the token, which a problem does not repeat. */
export function readWorkflowToken(text: string): Reading<string> {
  if (text === '') return { problem: `is missing. ${newWorkflowToken}` }
  return /^\w+$/.test(text)
    ? { value: text }
    : { problem: 'is not a token of GitHub. Paste it again, on one line and without quotes.' }
}

/** Reads both bindings of the clock. */
export function readClock(env: Readonly<Record<string, unknown>>): FullReading<Workflow> {
  const textOf = (name: string) => String(env[name] ?? '').trim()
  const [place, token] = [readWorkflow(textOf('WORKFLOW')), readWorkflowToken(textOf('WORKFLOW_TOKEN'))]
  if ('value' in place && 'value' in token) return { value: { ...place.value, token: token.value } }
  const problems = Object.entries({ WORKFLOW: place, WORKFLOW_TOKEN: token })
  return {
    problems: problems.flatMap(([name, reading]) =>
      'problem' in reading ? redactTokenShapes(`${name} ${reading.problem}`) : [],
    ),
  }
}
