// biome-ignore lint/style/noRestrictedImports: this file sets the seed
import fc from 'fast-check'

/**
 * Every random test gets its seed and its number of runs here. `npm test` runs a sample with a fixed seed; `npm run
 * test:long` runs many more with a new seed. Both print the seed, and TEST_SEED and TEST_MINUTES repeat a run.
 */

const runsPerMinute = 4
const slicesPerRun = 15
const maxSliceMs = 30_000

/** The seed of every random test in this run: an integer. */
export const seed = read('TEST_SEED', Number.isSafeInteger)

/** The seed of tests that take a new one with each commit: that of the run if one was given, else from the commit's hash. */
export const commitSeed = read('COMMIT_SEED', Number.isSafeInteger, String(seed))

/** Maximum minutes for all random tests; 0 runs a sample. */
const minutes = read('TEST_MINUTES', value => Number.isFinite(value) && value >= 0, '0')

/** The maximum time for one property, in milliseconds; undefined for a sample, which is never cut short. */
const sliceMs = minutes > 0 ? Math.min((minutes * 60_000) / slicesPerRun, maxSliceMs) : undefined

function read(name: string, isValid: (value: number) => boolean, fallback = ''): number {
  const text = process.env[name] ?? fallback
  const value = text === '' ? Number.NaN : Number(text)
  if (isValid(value)) return value
  throw new RangeError(`${name} is "${text}". Use a number, as vitest.config.ts does.`)
}

/** Returns the number of runs for a property whose sample has `sample` runs. */
export function runs(sample: number): number {
  return minutes > 0 ? Math.ceil(sample * Math.max(1, minutes * runsPerMinute)) : sample
}

/** Returns the maximum time for a test that gets a share of the whole run, in milliseconds; undefined for a sample. */
export function shareMs(share: number): number | undefined {
  return minutes > 0 ? minutes * 60_000 * share : undefined
}

fc.configureGlobal({
  seed,
  numRuns: runs(100),
  ...(sliceMs !== undefined && { interruptAfterTimeLimit: sliceMs }),
})

/** fast-check with this run's seed. Tests import it from here, and pass `runs(n)` where they set `numRuns`. */
export { fc }

const surrogates = { first: 0xd800, count: 0x800 }

/** Any code point of Unicode. fast-check's own units map each of them when a test starts, which takes a second. */
export const codePoint = fc
  .nat(0x10ffff - surrogates.count)
  .map(at => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count))
