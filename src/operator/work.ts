import { type Chosen, helpOption } from '../../lib/command.ts'
import type { LogEntry } from '../http/log.ts'
import type { Store } from './store.ts'

export const optionNames = {
  'dry-run': { type: 'boolean' },
  'existing-employees': { type: 'boolean' },
  admin: { type: 'boolean' },
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  ...helpOption,
  id: { type: 'string' },
  operator: { type: 'string' },
  store: { type: 'string' },
  rename: { type: 'boolean' },
  missing: { type: 'string' },
  'max-missing': { type: 'string' },
} as const

export type CommandOptions = Chosen<typeof optionNames>

/** Where results and changes go. */
export interface Output {
  /** Prints a line of the result. */
  readonly line: (text: string) => void
  readonly problem: (text: string) => void
  /** Writes a change to the log. */
  readonly log: (entry: LogEntry) => void
}

/** What a command works with. */
export interface Work extends Output {
  readonly store: Store
  readonly options: CommandOptions
  /** Who makes a change, as the audit names them. */
  readonly operator: string
  /** Unix time in milliseconds. */
  readonly now: () => number
}
