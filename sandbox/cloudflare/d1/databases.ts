export const jurisdictions = ['eu', 'fedramp', 'us'] as const
export type Jurisdiction = (typeof jurisdictions)[number]

/** The metadata of a database. The runtime keeps its contents. */
export interface Database {
  readonly uuid: string
  readonly name: string
  /** In RFC 3339. */
  readonly createdAt: string
  readonly replication: 'auto' | 'disabled'
  /** Where the data has to stay; null for anywhere. Fixed when the database is created. */
  readonly jurisdiction: Jurisdiction | null
}

/** A statement and its parameter values. */
export interface Statement {
  readonly sql: string
  readonly params: readonly unknown[]
}
