/** Maps items with at most `limit` calls under way, and returns the results in the order of the items. */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const queue = items.entries()
  const work = async () => {
    for (const [index, item] of queue) results[index] = await map(item)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work))
  return results
}

/** Maps as `mapConcurrently`, and returns the results by item. */
export async function mapByItem<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<ReadonlyMap<Item, Result>> {
  return new Map(await mapConcurrently(items, limit, async item => [item, await map(item)] as const))
}

/**
 * Works on items with at most `limit` calls under way, in two turns: a call that awaits `secondTurn` makes room for others,
 * and goes on once every item has been begun, and each is done or waits. The first item goes alone, so that a failure
 * that all would share happens once.
 */
export async function workInTurns<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, secondTurn: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const waiting: (() => Promise<void>)[] = []
  const begin = (item: Item) => {
    const pause = Promise.withResolvers<void>()
    const turn = Promise.withResolvers<void>()
    const done = work(item, () => {
      waiting.push(() => {
        turn.resolve()
        return done
      })
      pause.resolve()
      return turn.promise
    })
    return Promise.race([done, pause.promise])
  }
  await mapConcurrently(items.slice(0, 1), 1, begin)
  await mapConcurrently(items.slice(1), limit, begin)
  await mapConcurrently(waiting, limit, goOn => goOn())
}

/**
 * Returns the items in the order in which to try them: what failed when it was last tried goes last. If there are more than
 * are tried at once, chance decides otherwise, so that a run without memory does not spend its time on the same items as the
 * run before.
 */
export function inOrder<Item>(
  items: readonly Item[],
  hasFailed: (item: Item) => boolean,
  limit: number,
  random: () => number,
): readonly Item[] {
  const byChance = items.length > limit
  return items
    .map(item => ({ item, rank: (byChance ? random() : 0) + (hasFailed(item) ? 1 : 0) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}
