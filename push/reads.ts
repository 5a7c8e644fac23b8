import { getOrCreate } from '../lib/get-or-create.ts'
import type { RecordType } from '../lib/record-type.ts'
import type { Host } from './hosts.ts'
import type { Kept } from './keep.ts'

/** The addresses that a ping gives for records of a name, each of which the record may hold. */
export type Given = readonly (readonly [RecordType, string])[]

const minuteMs = 60_000
/** Most reads of a name in a minute. */
const maxReads = 6
/** Reads in a minute for pings that say what the last read showed. The others are kept for pings with another address. */
const maxEqualReads = 4
/** Requests to Cloudflare for all names together. One user has 1,200 in five minutes for all tokens and the dashboard. */
const periodMs = 5 * minuteMs
const [minRequests, maxRequests] = [120, 600]

interface Name {
  /** What the last read of each record showed, and when it began: -Infinity if a later one failed or was overtaken. */
  readonly seen: Map<RecordType, { readonly address: string; readonly atMs: number }>
  /** By the time at which the ping arrived, so that pings that waited for others do not use up the reads of later ones. */
  reads: readonly { readonly atMs: number; isEqual: boolean }[]
  /** The last ping of all for a record, and the last one with another address. */
  readonly last: Map<RecordType, readonly { readonly address: string; readonly order: number }[]>
  /** A write whose outcome is unknown can still arrive. */
  unsettledMs: number
}

/** When a ping arrived, and its place among all. */
export interface Arrival {
  readonly order: number
  readonly atMs: number
}

/** A ping for one name while it is worked on. */
export interface Turn {
  /** Whether an earlier ping for one of the records is being worked on. */
  mustWait(): boolean
  /** Whether a later ping has another address for a record. This one may then not write it. */
  isOvertaken(type: RecordType): boolean
  /** Returns what to do: read, answer from what was read, or answer that the name must wait for this many seconds. */
  next(): 'read' | 'remembered' | number
  /** Counts a request to Cloudflare. Returns whether it may be sent: a repetition may not go over the limit. */
  count(): boolean
  /** Ends the work with what the read showed, and the reads after its writes; null if nothing is known. */
  end(kept: readonly Kept[] | null): void
}

/** What an endpoint remembers of its pings and names. On Workers, each instance has its own. */
export interface Reads {
  arrive(): Arrival
  /** Starts to work on a ping with a right password. From now on, no earlier ping writes another address. */
  begin(name: string, given: Given, arrival: Arrival): Turn
}

/**
 * Creates the memory of an endpoint for these hosts.
 * @param now milliseconds of a clock that is never set back
 */
export function createReads(now: () => number, hosts: readonly Pick<Host, 'types'>[]): Reads {
  const names = new Map<string, Name>()
  /** A Worker can end its work without telling. `owed` requests are still to come. */
  let working: readonly (Arrival & { name: string; given: Given; owed: number })[] = []
  let requests: readonly number[] = []
  let arrivals = 0
  const changeOf = (records: number) => 1 + 2 * records
  const allChanges = hosts.reduce((sum, { types }) => sum + changeOf(types.length), 0)
  const limit = Math.min(maxRequests, Math.max(minRequests, 2 * allChanges))

  /** Returns how many requests were sent or begun in the last five minutes. */
  function spent(): number {
    requests = requests.filter(ms => now() < ms + periodMs)
    return working.reduce((sum, { owed }) => sum + owed, requests.length)
  }

  function begin(name: string, given: Given, arrival: Arrival): Turn {
    const unsettledMs = Number.NEGATIVE_INFINITY
    const create = (): Name => ({ seen: new Map(), reads: [], last: new Map(), unsettledMs })
    const state = getOrCreate(names, name, create)
    const { order, atMs } = arrival
    const self = { ...arrival, name, given, owed: 0 }
    // Work that ended without telling holds up nobody for longer than a minute.
    const isAlive = (other: Arrival) => now() < other.atMs + minuteMs
    const earlier = working.filter(other => other.name === name)
    working = [...working.filter(isAlive), self]
    for (const [type, address] of given) {
      const all = [{ address, order }, ...(state.last.get(type) ?? [])].toSorted((a, b) => b.order - a.order)
      const other = all.find(one => one.address !== all[0]?.address)
      state.last.set(type, [...all.slice(0, 1), ...(other ? [other] : [])])
    }
    let startedMs = now()
    let read: Name['reads'][number] | null = null
    const addressOf = (type: RecordType) => given.find(([own]) => own === type)?.[1]
    const isOvertaken = (type: RecordType) =>
      (state.last.get(type) ?? []).some(one => one.address !== addressOf(type) && one.order > order)

    /** Returns how long ago the records were seen to hold the addresses. */
    function ageMs(): number {
      if (now() < state.unsettledMs + minuteMs) return Number.POSITIVE_INFINITY
      const seen = given.map(([type, address]) => {
        const { address: held, atMs } = state.seen.get(type) ?? { address: null, atMs: 0 }
        return held === address ? now() - atMs : Number.POSITIVE_INFINITY
      })
      return Math.max(...seen)
    }

    return {
      isOvertaken,
      mustWait: () =>
        earlier.some(
          other =>
            working.includes(other) &&
            isAlive(other) &&
            other.given.some(([type]) => addressOf(type) !== undefined && !isOvertaken(type)),
        ),
      next() {
        if (given.every(([type]) => isOvertaken(type))) return 'read'
        const isKnown = ageMs() < periodMs
        // What one change of every name needs is not for pings without a change, but for names that were not read for long.
        if (isKnown && spent() >= limit - allChanges - hosts.length) return 'remembered'
        const recent = state.reads.filter(other => other.atMs > atMs - minuteMs)
        if (recent.filter(({ isEqual }) => isEqual).length >= maxEqualReads && ageMs() < minuteMs)
          return 'remembered'
        const owed = isKnown ? 1 : changeOf(given.length)
        // This ping can have waited, so some of the reads can be for later ones.
        const all = [...state.reads.map(other => other.atMs), atMs].toSorted((one, other) => one - other)
        const first = all.find(
          (ms, index) => (all[index + maxReads] ?? Number.POSITIVE_INFINITY) < ms + minuteMs,
        )
        const oldestMs = first === undefined ? 0 : first + minuteMs
        const over = spent() + owed - limit
        const untilMs = Math.max(oldestMs, over > 0 ? (requests[over - 1] ?? now()) + periodMs : 0)
        if (untilMs > 0) return Math.max(1, Math.ceil((untilMs - now()) / 1000))
        self.owed = owed
        startedMs = now()
        const isEqual = given.every(
          ([type, address]) => (state.seen.get(type)?.address ?? address) === address,
        )
        read = { atMs, isEqual }
        state.reads = [...state.reads.filter(other => now() < other.atMs + 2 * minuteMs), read]
        return 'read'
      },
      count() {
        if (self.owed === 0 && spent() >= limit) return false
        self.owed = Math.max(0, self.owed - 1)
        requests = [...requests, now()]
        return true
      },
      end(kept) {
        working = working.filter(other => other !== self)
        if (read && !kept?.every(({ result }) => !result.written && !result.problem)) read.isEqual = false
        if (kept === null || kept.some(({ unsettled }) => unsettled)) state.unsettledMs = now()
        for (const { result } of kept ?? []) {
          const { type, address, problem } = result
          const before = state.seen.get(type)
          if (!problem && address !== null && !isOvertaken(type))
            state.seen.set(type, { address, atMs: startedMs })
          // It still says which pings are equal, but answers none.
          else if (before) state.seen.set(type, { ...before, atMs: Number.NEGATIVE_INFINITY })
        }
      },
    }
  }

  return {
    arrive() {
      arrivals++
      return { order: arrivals, atMs: now() }
    },
    begin,
  }
}
