import type { Event, Scenario } from './scenario.ts'
import type { Outcome } from './simulation.ts'

/** A scenario that breaks an invariant and needs each of its events for that. */
export interface Shrunk {
  readonly scenario: Scenario
  readonly outcome: Outcome
  /** The indexes of its events in the whole scenario. */
  readonly kept: readonly number[]
}

/** Returns the scenario with only the events at these places. */
export function keepEvents(scenario: Scenario, kept: readonly number[]): Scenario {
  return { ...scenario, events: kept.flatMap(place => scenario.events[place] ?? []) }
}

/**
 * Removes events as long as the same invariant still breaks: halves first, then smaller groups, then one by one (delta
 * debugging). The time after the violation goes too.
 */
export async function shrink(
  whole: Scenario,
  broken: Outcome,
  simulate: (scenario: Scenario) => Promise<Outcome>,
): Promise<Shrunk> {
  const invariant = broken.violation?.invariant
  const endMs = broken.violation?.atMs ?? Number.POSITIVE_INFINITY
  let kept = whole.events.flatMap(({ atMs }: Event, place) => (atMs <= endMs ? place : []))
  let outcome = broken
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let start = 0; start < kept.length; ) {
      const fewer = kept.toSpliced(start, size)
      const tried = await simulate(keepEvents(whole, fewer))
      if (tried.violation?.invariant === invariant) {
        kept = fewer
        outcome = tried
      } else {
        start += size
      }
    }
  }
  return { scenario: keepEvents(whole, kept), outcome, kept }
}

/** Describes a shrunk scenario, with the command that replays it. */
export function describeFailure({ scenario, outcome: { violation }, kept }: Shrunk): string {
  const events = scenario.events.map(
    ({ atMs, trigger, kind, durationMs, choice }) =>
      `  ${(atMs / 60_000).toFixed(2)} min  ${kind} on ${trigger}, ${durationMs} ms, choice ${choice}`,
  )
  return [
    `Seed ${scenario.seed} breaks "${violation?.invariant}" at ${((violation?.atMs ?? 0) / 60_000).toFixed(2)} min (${violation?.host}):`,
    `  ${violation?.detail}`,
    `Setup: ${JSON.stringify(scenario.setup)}`,
    `Events that it needs (${events.length}):`,
    ...events,
    `Replay: npx node test/simulation/simulate.ts ${scenario.router ? '--router ' : ''}--seed ${scenario.seed} --keep ${kept.join(',') || 'none'}`,
  ].join('\n')
}
