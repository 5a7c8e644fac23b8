import type { Row } from './rows.ts'

/** A database as the operator's command sees it: SQL that both understand, with $1, $2 … for values. */
export interface Store {
  readonly dialect: 'postgres' | 'd1'
  /** Where it is, without credentials, for the operator to read. */
  readonly place: string
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

/** A failure whose message is written for the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
