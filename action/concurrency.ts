/** Maps items with at most `limit` calls under way, and returns the results in the order of the items. */
export function mapConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const start = createLimit(limit)
  return Promise.all(items.map(item => start(() => map(item))))
}

/** Waits until a promise resolves, and then for the turn of the work. */
export type Wait = (over: Promise<void>) => Promise<void>

/**
 * Creates a queue that starts work in the order in which it arrives, with at most `limit` under way. The work is given `wait`, which
 * lets other work start while it waits, and then gets it in line again.
 */
export function createLimit(limit: number) {
  let free = limit
  const waiting: (() => void)[] = []
  const begin = async () => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
  }
  const end = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  const wait: Wait = async over => {
    end()
    await over
    await begin()
  }
  return async <Result>(work: (wait: Wait) => Promise<Result>): Promise<Result> => {
    await begin()
    try {
      return await work(wait)
    } finally {
      end()
    }
  }
}
