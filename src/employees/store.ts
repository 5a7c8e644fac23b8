import type { Row } from './rows.ts'

/** A database for the operator's command. Both dialects take the same SQL, with $1, $2 and so on for values. */
export interface Store {
  readonly dialect: 'postgres' | 'd1'
  /** What and where it is, without credentials. */
  readonly place: string
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

/** A failure with a message for the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
