import type { RecordResult } from '../result.ts'

/**
 * GitHub takes 1 MB of outputs from a job, counted as UTF-16 (docs.github.com, "Workflow syntax": `jobs.<job_id>.outputs`). This
 * leaves room for the other outputs.
 */
export const maxRecordsCharacters = 480_000

/** GitHub shows ten errors and ten warnings of a step. */
export const maxAnnotations = 10

/** GitHub takes 1 MiB of summary from a step. Both lists, of records and of what to do, stay below it together. */
export const maxSummaryListBytes = 450 * 1024

/** Returns the items that fit, in their order. Those with the lowest rank come first, and of one rank the first ones. */
export function keepWithin<Item>(
  items: readonly Item[],
  max: number,
  sizeOf: (item: Item) => number,
  rankOf: (item: Item) => number,
): readonly Item[] {
  let left = max
  const kept = new Set<Item>()
  for (const item of items.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    left -= sizeOf(item)
    if (left < 0) break
    kept.add(item)
  }
  return items.filter(item => kept.has(item))
}

/** Ranks records that failed before those that changed or would change, and both before the others. */
export function rankOf({ result }: RecordResult): number {
  if (result === 'failed') return 0
  return result === 'unchanged' ? 2 : 1
}
