import type { Dialect, Row } from '../employees/rows.ts'

export interface Statement {
  readonly sql: string
  readonly values?: readonly unknown[]
}

/** A database for the operator's command. Both dialects take the same SQL, with $1, $2 and so on for values. */
export interface Store {
  readonly dialect: Dialect
  /** What and where it is, without credentials. */
  readonly place: string
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs statements in order, all or none of them. If it throws without an answer, either is possible. */
  transaction(statements: readonly Statement[]): Promise<void>
  close(): Promise<void>
}

/** A store without transactions is enough to migrate it. */
export type SimpleStore = Omit<Store, 'transaction'>

/** A failure with a message for the operator, and the exit status that it means. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  readonly status: number

  constructor(
    message: string,
    { status = 1, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
  }
}
