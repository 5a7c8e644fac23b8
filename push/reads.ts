import { getOrCreate } from '../lib/get-or-create.ts'
import type { Host } from './hosts.ts'
import type { Kept, Wanted } from './keep.ts'

const minuteMs = 60_000
/** Most reads of a name in a minute. */
const maxReads = 6
/** Reads in a minute for pings that say what the last read showed. The others are kept for pings with another address. */
const maxEqualReads = 4
/** Requests to Cloudflare for all names together. One user has 1,200 in five minutes for all tokens and the dashboard. */
const periodMs = 5 * minuteMs
const minRequests = 120

/** A record of a ping, and its address, which has passed the checks. */
export type Given = Pick<Wanted, 'address'> & { readonly slot: Pick<Wanted['slot'], 'hostname' | 'type'> }

interface Name {
  /** By the time at which the ping arrived, so that pings that waited for others do not use up the reads of later ones. */
  reads: readonly Read[]
  /** A write whose outcome is unknown can still arrive. */
  unsettledMs: number
  /** When the last work that could be a change began. */
  changeMs: number
}

interface Read {
  readonly atMs: number
  isEqual: boolean
}

interface KnownRecord {
  /** What the last read showed, and when its ping arrived: -Infinity if a later one failed or was overtaken. */
  seen: { readonly address: string; readonly atMs: number } | null
  /** The last ping of all, and the last one with another address. */
  last: readonly { readonly address: string; readonly order: number }[]
}

/** When a ping arrived, and its place among all. */
export interface Arrival {
  readonly order: number
  readonly atMs: number
}

/** What an endpoint remembers of its pings and names. On Workers, each instance has its own. */
type Reads = ReturnType<typeof createReads>
/** A ping while it is worked on. */
export type Turn = ReturnType<Reads['begin']>

/** Returns the most requests that a change of a name takes: a list, a write of each record, and a list. */
export function requestsOf({ types }: Pick<Host, 'types'>): number {
  return 2 + types.length
}

/**
 * Creates the memory of an endpoint for these hosts.
 * @param now milliseconds of a clock that is never set back
 */
export function createReads(now: () => number, hosts: readonly Pick<Host, 'name' | 'types'>[]) {
  const names = new Map<string, Name>()
  const records = new Map<string, KnownRecord>()
  /** A Worker can end its work without telling. `owed` requests are still to come. */
  let working: readonly (Arrival & { given: readonly Given[]; owed: number })[] = []
  let requests: readonly number[] = []
  let arrivals = 0
  const allChanges = hosts.reduce((sum, host) => sum + requestsOf(host), 0)
  const limit = Math.max(minRequests, 2 * allChanges)
  const keyOf = ({ hostname, type }: Given['slot']) => `${type} ${hostname}`
  const nameOf = (hostname: string) =>
    getOrCreate(
      names,
      hostname,
      (): Name => ({ reads: [], unsettledMs: Number.NEGATIVE_INFINITY, changeMs: Number.NEGATIVE_INFINITY }),
    )
  const recordOf = (slot: Given['slot']) =>
    getOrCreate(records, keyOf(slot), (): KnownRecord => ({ seen: null, last: [] }))

  /** Returns how many requests were sent or begun in the last five minutes. */
  function spent(): number {
    requests = requests.filter(ms => now() < ms + periodMs)
    return working.reduce((sum, { owed }) => sum + owed, requests.length)
  }

  /** Returns the requests that only the other names may spend: one change of each that had none in five minutes. */
  function reservedBeside(own: readonly string[]): number {
    const others = hosts.filter(
      ({ name }) => !own.includes(name) && now() >= nameOf(name).changeMs + periodMs,
    )
    return others.reduce((sum, host) => sum + requestsOf(host), 0)
  }

  /** Starts to work on a ping with a right password. From now on, no earlier ping writes another address. */
  function begin(given: readonly Given[], { order, atMs }: Arrival) {
    const self = { order, atMs, given, owed: 0 }
    // Work that ended without telling holds up nobody for longer than a minute.
    const isAlive = (other: Arrival) => now() < other.atMs + minuteMs
    const earlier = working
    working = [...working.filter(isAlive), self]
    for (const { slot, address } of given) {
      const record = recordOf(slot)
      const all = [{ address, order }, ...record.last].toSorted((a, b) => b.order - a.order)
      const other = all.find(one => one.address !== all[0]?.address)
      record.last = [...all.slice(0, 1), ...(other ? [other] : [])]
    }
    const reads = new Map<string, Read>()
    const isOvertaken = ({ slot, address }: Given) =>
      recordOf(slot).last.some(one => one.address !== address && one.order > order)
    const byName = Map.groupBy(given, ({ slot }) => slot.hostname)
    const ofName = (hostname: string) => byName.get(hostname) ?? []

    /** Returns how long ago the records of a name were seen to hold the addresses. */
    function ageMs(hostname: string): number {
      if (now() < nameOf(hostname).unsettledMs + minuteMs) return Number.POSITIVE_INFINITY
      const ages = ofName(hostname).map(({ slot, address }) => {
        const { seen } = recordOf(slot)
        return seen?.address === address ? now() - seen.atMs : Number.POSITIVE_INFINITY
      })
      return Math.max(...ages)
    }

    return {
      /** Whether a later ping has another address for a record. This one may then not write it. */
      isOvertaken,
      /** Whether an earlier ping for one of the records is being worked on. */
      mustWait() {
        const due = new Set(given.filter(one => !isOvertaken(one)).map(({ slot }) => keyOf(slot)))
        const isInTheWay = (other: (typeof working)[number]) =>
          working.includes(other) && isAlive(other) && other.given.some(({ slot }) => due.has(keyOf(slot)))
        return earlier.some(isInTheWay)
      },
      /** Returns what to do with a name: read, answer from what was read, or answer that it must wait for this many seconds. */
      next(hostname: string): 'read' | 'remembered' | number {
        const own = ofName(hostname)
        if (own.every(isOvertaken)) return 'read'
        const state = nameOf(hostname)
        const isKnown = ageMs(hostname) < periodMs
        // What one change of every name needs is not for pings without a change, but for names that were not read for long.
        if (isKnown && spent() >= limit - allChanges - hosts.length) return 'remembered'
        const recent = state.reads.filter(other => other.atMs > atMs - minuteMs)
        if (recent.filter(({ isEqual }) => isEqual).length >= maxEqualReads && ageMs(hostname) < minuteMs)
          return 'remembered'
        const owed = isKnown ? 1 : requestsOf({ types: own.map(({ slot }) => slot.type) })
        // This ping can have waited, so some of the reads can be for later ones.
        const all = [...state.reads.map(other => other.atMs), atMs].toSorted((one, other) => one - other)
        const first = all.find(
          (ms, index) => (all[index + maxReads] ?? Number.POSITIVE_INFINITY) < ms + minuteMs,
        )
        const oldestMs = first === undefined ? 0 : first + minuteMs
        const over = spent() + owed + reservedBeside([hostname]) - limit
        const untilMs = Math.max(oldestMs, over > 0 ? (requests[over - 1] ?? now()) + periodMs : 0)
        if (untilMs > 0) return Math.max(1, Math.ceil((untilMs - now()) / 1000))
        self.owed += owed
        if (!isKnown) state.changeMs = now()
        const isEqual = own.every(
          ({ slot, address }) => (recordOf(slot).seen?.address ?? address) === address,
        )
        const read = { atMs, isEqual }
        reads.set(hostname, read)
        state.reads = [...state.reads.filter(other => now() < other.atMs + 2 * minuteMs), read]
        return 'read'
      },
      /** Counts a request to Cloudflare. Returns whether it may be sent: a repetition may not go over the limit. */
      count() {
        const own = given.map(({ slot }) => slot.hostname)
        if (self.owed === 0 && spent() >= limit - reservedBeside(own)) return false
        self.owed = Math.max(0, self.owed - 1)
        requests = [...requests, now()]
        return true
      },
      /** Ends the work with what the reads showed, and those after the writes; null if nothing is known. */
      end(kept: readonly Kept[] | null): void {
        working = working.filter(other => other !== self)
        for (const [hostname, read] of reads) {
          const own = kept?.filter(({ result }) => result.hostname === hostname)
          if (!own?.every(({ result }) => !result.written && !result.problem)) read.isEqual = false
          if (!own || own.some(({ unsettled }) => unsettled)) nameOf(hostname).unsettledMs = now()
        }
        for (const { result } of kept ?? []) {
          const record = recordOf(result)
          const { address, problem } = result
          if (!problem && address !== null && !isOvertaken({ slot: result, address }))
            record.seen = { address, atMs }
          // It still says which pings are equal, but answers none.
          else if (record.seen) record.seen = { ...record.seen, atMs: Number.NEGATIVE_INFINITY }
        }
      },
    }
  }

  return {
    arrive(): Arrival {
      arrivals++
      return { order: arrivals, atMs: now() }
    },
    begin,
  }
}
