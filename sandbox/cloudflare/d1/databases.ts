/** A database as it is kept; what is in it is the runtime's. */
export type Database = {
  readonly uuid: string
  readonly name: string
  /** RFC 3339 */
  readonly createdAt: string
  readonly replication: 'auto' | 'disabled'
}

/** The databases of the account. In memory only. */
export class Databases {
  readonly #byId = new Map<string, Database>()

  all(): Database[] {
    return [...this.#byId.values()]
  }

  ids(): string[] {
    return [...this.#byId.keys()]
  }

  get(uuid: string): Database | undefined {
    return this.#byId.get(uuid)
  }

  put(database: Database): void {
    this.#byId.set(database.uuid, database)
  }

  remove(uuid: string): void {
    this.#byId.delete(uuid)
  }
}
