import { type Contents, Store } from './store.ts'

/** A zone is served by two. */
export const nameServerCount = 2

/** Who reads the store: the API, or a name server by its number from 0. */
export type Reader = 'api' | number

/** So many former states are kept for a reader at most; the oldest go first. */
const mostStates = 100

type State = { readonly store: Store; readonly untilMs: number }

/** Lets readers see the store as it was, for a while: changes reach them late. */
export class ReplicationLag {
  readonly #states = new Map<Reader, State[]>()

  /** Has readers see these contents until an instant (milliseconds since 1970). */
  keep(readers: readonly Reader[], contents: Contents, untilMs: number): void {
    const store = new Store()
    store.replace(contents)
    for (const reader of readers) {
      const states = [...(this.#states.get(reader) ?? []), { store, untilMs }]
      this.#states.set(reader, states.slice(-mostStates))
    }
  }

  /** What a reader sees at an instant: of the states that it is to see, the one before the earliest change. */
  storeFor(reader: Reader, present: Store, nowMs: number): Store {
    const states = this.#states.get(reader)
    if (states === undefined) return present
    const lasting = states.filter(({ untilMs }) => untilMs > nowMs)
    if (lasting.length === 0) this.#states.delete(reader)
    else this.#states.set(reader, lasting)
    return lasting[0]?.store ?? present
  }

  /** Everybody sees what is. */
  end(): void {
    this.#states.clear()
  }
}
