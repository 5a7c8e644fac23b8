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

/** The databases of the account, kept in memory. */
export class Databases {
  #byId = new Map<string, Database>()

  all(): Database[] {
    return [...this.#byId.values()]
  }

  ids(): string[] {
    return [...this.#byId.keys()]
  }

  /** Returns the database with a uuid or a name. */
  find(uuidOrName: string): Database | null {
    return this.#byId.get(uuidOrName) ?? this.all().find(({ name }) => name === uuidOrName) ?? null
  }

  has(uuid: string): boolean {
    return this.#byId.has(uuid)
  }

  replace(databases: readonly Database[]): void {
    this.#byId = new Map(databases.map(database => [database.uuid, database]))
  }

  put(database: Database): void {
    this.#byId.set(database.uuid, database)
  }

  remove(uuid: string): void {
    this.#byId.delete(uuid)
  }
}
