/** Maps items with at most `limit` calls under way, and returns the results in the order of the items. */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const start = createLimit(limit)
  return Promise.all(items.map(item => start(() => map(item))))
}

/** Creates a queue that starts work in the order in which it arrives, with at most `limit` under way. */
export function createLimit(limit: number) {
  let free = limit
  const waiting: (() => void)[] = []
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
