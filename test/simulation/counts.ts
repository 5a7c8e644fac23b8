const none = {
  rounds: 0,
  green: 0,
  /** Reports of a router. */
  pings: 0,
  /** Pings that wrote nothing, because the record was right. */
  idlePings: 0,
  requests: 0,
  writes: 0,
  events: 0,
  /** Rounds and pings that had to be green, because nothing was wrong. */
  calmRounds: 0,
  /** Writes over an edit that came after the last read. */
  overwrittenEdits: 0,
  /** Writes over a write of another run that came after the last read. */
  overlappingWrites: 0,
  /** Writes that took effect after their sender had given up. */
  lateWrites: 0,
}

/** Totals. Nothing can prevent the last three, because the API has no compare-and-set. */
export type Counts = typeof none

export function noCounts(): Counts {
  return { ...none }
}
