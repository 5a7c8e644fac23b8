import { Store, type StoreContents } from './store.ts'

/** The number of name servers of each zone. */
export const nameServerCount = 2

/** A reader of the store: the API, or the index of a name server. */
type StoreReader = 'api' | number

/** The maximum number of old states per reader. The oldest are dropped first. */
const maxStates = 100

interface State {
  readonly store: Store
  readonly untilMs: number
}

/** Shows readers old states of the store for a set time, so that they see changes late. */
export class ReplicationLag {
  readonly #states = new Map<StoreReader, State[]>()

  /** Shows contents to readers until a time in milliseconds since 1970. */
  keep(readers: readonly StoreReader[], contents: StoreContents, untilMs: number): void {
    const store = new Store()
    store.replace(contents)
    for (const reader of readers) {
      const states = [...(this.#states.get(reader) ?? []), { store, untilMs }]
      this.#states.set(reader, states.slice(-maxStates))
    }
  }

  /** Returns the store that a reader sees at a time: the oldest state that has not expired, or else the current one. */
  storeFor(reader: StoreReader, current: Store, nowMs: number): Store {
    const states = this.#states.get(reader)
    if (states === undefined) return current
    const lasting = states.filter(({ untilMs }) => untilMs > nowMs)
    if (lasting.length === 0) this.#states.delete(reader)
    else this.#states.set(reader, lasting)
    return lasting[0]?.store ?? current
  }

  /** Shows every reader the current state. */
  end(): void {
    this.#states.clear()
  }
}
