import { describe, expect, it } from 'vitest'
import { shareMs } from '../support/random.ts'
import { type Bounds, explore } from './interleavings.ts'
import type { Setup } from './scenario.ts'

const plain: Setup = {
  types: ['A'],
  names: ['home.example.com'],
  sources: 'one-echo',
  suffix: null,
  expectedRanges: false,
  create: false,
  onDrift: 'warn',
  proxied: false,
  dryRun: false,
  verifiesDns: false,
  timeoutS: 60,
}

describe('every order of the requests of two runs and the edits of one person', () => {
  type Walk = readonly [what: string, setup: Setup, bounds: Bounds, minStates: number]
  const repairing: Setup = { ...plain, onDrift: 'repair' }
  const creating: Setup = { ...plain, create: true }
  const sample: readonly Walk[] = [
    ['an update, with an edit', plain, { maxEdits: 1, maxLosses: 0 }, 1000],
    ['a creation whose write may be lost', creating, { maxEdits: 0, maxLosses: 1 }, 300],
  ]
  const all: readonly Walk[] = [
    ['an update, with two edits', plain, { maxEdits: 2, maxLosses: 0 }, 5000],
    ['an update whose write may be lost, with an edit', plain, { maxEdits: 1, maxLosses: 1 }, 4000],
    ['a repair of drift, with an edit', repairing, { maxEdits: 1, maxLosses: 1 }, 4000],
    ['a creation whose write may be lost, with an edit', creating, { maxEdits: 1, maxLosses: 1 }, 4000],
  ]
  // `npm run test:long` explores all.
  const explored = shareMs(1) === undefined ? sample : all
  it.each(explored)('keeps the invariants: %s', async (what, setup, bounds, minStates) => {
    const { states, executions, counts, violation } = await explore(setup, bounds)
    process.stdout.write(
      `${what}: ${states} states on ${executions} paths; edits overwritten that came after the last read on ` +
        `${counts.overwrittenEdits}, writes over another run's on ${counts.overlappingWrites}\n`,
    )
    expect(violation).toBeNull()
    expect(states).toBeGreaterThan(minStates)
  })
})
