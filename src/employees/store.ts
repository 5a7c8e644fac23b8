import { printable } from './printable.ts'
import type { Row } from './rows.ts'

export interface Statement {
  readonly sql: string
  readonly values?: readonly unknown[]
}

/** A database for the operator's command. Both dialects take the same SQL, with $1, $2 and so on for values. */
export interface Store {
  readonly dialect: 'postgres' | 'd1'
  /** What and where it is, without credentials. */
  readonly place: string
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs statements in order, all or none of them. If it throws without an answer, either is possible. */
  transaction(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

/** A store without transactions is enough to migrate it. */
export type SimpleStore = Omit<Store, 'transaction'>

/** Longest part of a database's message to show, in characters. */
const maxMessageLength = 300

/** Returns a database's message for use in one of ours. */
export function quoted(message: string): string {
  return printable(message.slice(0, maxMessageLength))
}

/** A failure with a message for the operator. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}

/** Nothing was changed, and the operator can confirm the change with an option that the message names. */
export class NeedsConfirmation extends OperatorError {
  override readonly name = 'NeedsConfirmation'
}
