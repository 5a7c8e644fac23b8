import type { RecordType } from '../action/record-type.ts'
import type { Kept } from './keep.ts'

/** The addresses that a ping gives for records of a name. */
type Given = readonly (readonly [RecordType, string])[]

/** A record that was seen to hold an address is not read again for so long. */
const freshMs = 60_000
/** Most reads of a name in a minute, so that a router cannot use up the limit of requests that its owner has. */
const maxReads = 6
const periodMs = 60_000
/** A ping waits no longer for another one, in milliseconds: it would be answered too late. */
const maxReadMs = 8000

interface Name {
  readonly seen: Map<
    RecordType,
    { readonly address: string; readonly atMs: number; readonly arrivals: number }
  >
  startedMs: readonly number[]
  /** The pings that are being worked on, by their addresses. A Worker works on several at once, and can end without telling. */
  underWay: readonly { readonly text: string; readonly atMs: number }[]
  /** A write whose outcome is unknown can still arrive. */
  unsettledMs: number
}

/** What an endpoint remembers of the names that it reads. On Workers, each instance has its own. */
export interface Reads {
  /** Counts a ping. Returns its number. */
  arrive(): number
  /**
   * Whether a read within the last minute showed that the records hold the addresses, and no ping with others is being worked
   * on: what that one writes can still arrive.
   * @param arrival of a ping that only a read before it counts for; if it is left out, any read counts
   */
  isFresh(name: string, given: Given, arrival?: number): boolean
  /** Whether a ping with the same addresses is being worked on. */
  isUnderWay(name: string, given: Given): boolean
  /** Starts a read. Returns how many seconds the name must wait; 0 if it may be read now. */
  start(name: string, given: Given): number
  /** Remembers what a read showed, and the reads after its writes. Without results, nothing is known. */
  end(name: string, given: Given, kept: readonly Kept[]): void
}

/** @param now milliseconds of a clock that is never set back */
export function createReads(now: () => number): Reads {
  const names = new Map<string, Name>()
  let arrivals = 0
  const textOf = (given: Given) => given.join(' ')
  function of(name: string): Name {
    const known = names.get(name) ?? {
      seen: new Map(),
      startedMs: [],
      underWay: [],
      unsettledMs: Number.NEGATIVE_INFINITY,
    }
    names.set(name, known)
    return known
  }
  const hasOthers = ({ underWay }: Name, given: Given) =>
    underWay.some(({ text, atMs }) => text !== textOf(given) && now() < atMs + freshMs)
  return {
    arrive() {
      arrivals++
      return arrivals
    },
    isFresh(name, given, arrival = Number.POSITIVE_INFINITY) {
      const state = of(name)
      return (
        !hasOthers(state, given) &&
        given.every(([type, address]) => {
          const seen = state.seen.get(type)
          return seen?.address === address && seen.arrivals < arrival && now() < seen.atMs + freshMs
        })
      )
    },
    isUnderWay(name, given) {
      return of(name).underWay.some(({ text, atMs }) => text === textOf(given) && now() < atMs + maxReadMs)
    },
    start(name, given) {
      const state = of(name)
      state.startedMs = state.startedMs.filter(ms => now() < ms + periodMs)
      const [oldest = 0] = state.startedMs
      if (state.startedMs.length >= maxReads)
        return Math.max(1, Math.ceil((oldest + periodMs - now()) / 1000))
      state.startedMs = [...state.startedMs, now()]
      const underWay = state.underWay.filter(({ atMs }) => now() < atMs + freshMs)
      state.underWay = [...underWay, { text: textOf(given), atMs: now() }]
      return 0
    },
    end(name, given, kept) {
      const state = of(name)
      // It was read later than this, so it is remembered for less than a minute.
      const atMs = state.startedMs.at(-1) ?? now()
      const own = state.underWay.findIndex(({ text }) => text === textOf(given))
      state.underWay = state.underWay.toSpliced(own, own < 0 ? 0 : 1)
      if (kept.length === 0 || kept.some(({ unsettled }) => unsettled)) state.unsettledMs = now()
      if (now() < state.unsettledMs + freshMs || hasOthers(state, given)) return state.seen.clear()
      for (const { result } of kept) {
        const { type, address, problem } = result
        if (problem || address === null) state.seen.delete(type)
        else state.seen.set(type, { address, atMs, arrivals })
      }
    },
  }
}
