/** Totals. Nothing can prevent the last three, because the API has no compare-and-set. */
export interface Counts {
  rounds: number
  green: number
  /** Reports of a router. */
  pings: number
  /** Pings that wrote nothing, because the record was right. */
  idlePings: number
  requests: number
  writes: number
  events: number
  /** Rounds and pings that had to be green, because nothing was wrong. */
  calmRounds: number
  /** Writes over an edit that came after the last read. */
  overwrittenEdits: number
  /** Writes over a write of another run that came after the last read. */
  overlappingWrites: number
  /** Writes that took effect after their sender had given up. */
  lateWrites: number
}

export function noCounts(): Counts {
  return {
    rounds: 0,
    green: 0,
    pings: 0,
    idlePings: 0,
    requests: 0,
    writes: 0,
    events: 0,
    calmRounds: 0,
    overwrittenEdits: 0,
    overlappingWrites: 0,
    lateWrites: 0,
  }
}

export function addCounts(one: Counts, other: Counts): Counts {
  const sum = noCounts()
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] = one[name] + other[name]
  return sum
}
