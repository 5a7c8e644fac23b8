import { quote } from '../lib/quote.ts'
import type { FullReading } from '../lib/reading.ts'
import { refuse } from '../lib/settings/readers.ts'
import { type Environment, readTable, type Table, type ValuesOf } from '../lib/settings/table.ts'

/** The place of a workflow. */
export interface WorkflowPlace {
  readonly owner: string
  readonly repository: string
  /** The name of a file in `.github/workflows`. */
  readonly file: string
  /** Null for the default branch. */
  readonly branch: string | null
}

/** An owner that an enterprise manages has a name with an underscore. */
const form =
  /^([\w-]{1,39})\/(?!\.{1,2}\/)([\w.-]{1,100})\/([^/@\s]{1,100}\.ya?ml)(?:@([^\s~^:?*[\\]{1,255}))?$/i

/** Reads `owner/repository/file.yml`, with `@branch` for another branch than the default one. */
export function readWorkflow(text: string): FullReading<WorkflowPlace> {
  const [, owner, repository, file, branch = null] = form.exec(text) ?? []
  if (owner && repository && file) return { value: { owner, repository, file, branch } }
  const fix =
    'Use owner/repository/file.yml, with a file of .github/workflows. Add @branch for another branch'
  return refuse(`is ${text === '' ? 'missing' : quote(text)}. ${fix} than the default one.`)
}

/** How to get the token. */
export const newWorkflowToken =
  'Create a fine-grained token for this repository only, with Actions: read and write.'

/** Reads the token, which a problem does not repeat. */
export function readWorkflowToken(text: string): FullReading<string> {
  if (text === '') return refuse(`is missing. ${newWorkflowToken}`)
  return /^\w+$/.test(text)
    ? { value: text }
    : refuse('is not a token of GitHub. Paste it again, on one line and without quotes.')
}

const table = {
  WORKFLOW: { field: 'place', read: readWorkflow },
  WORKFLOW_TOKEN: { field: 'token', read: readWorkflowToken, secret: true },
} as const satisfies Table

/** The workflow that the clock starts, and a token that can write the Actions of its repository. */
export type ClockSettings = ValuesOf<typeof table>

/** Reads both bindings of the clock. */
export const readClock = (env: Environment): FullReading<ClockSettings> => readTable(table, env)
