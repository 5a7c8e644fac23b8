/**
 * Maps items with at most `limit` calls under way, and returns the results in the order of the items. The first item goes
 * alone, so that a failure they would all share happens once.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const [first, ...rest] = items
  if (first === undefined) return []
  const results: Result[] = [await map(first)]
  const queue = rest.entries()
  const work = async () => {
    for (const [index, item] of queue) results[index + 1] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, rest.length) }, work))
  return results
}
