import { type EmployeeDirectory, StoreFailure } from './directory.ts'
import { isReadable, type StoreProblem } from './store-check.ts'

/** How long a result is reused, in milliseconds. */
const rememberMs = 10_000

/** How long ids that were unique are not read again, in milliseconds: that reads every employee. */
const rememberIdsMs = 600_000

/** Reports whether the store can be used, from a sample of the employees and from all of their ids. */
export async function inspectStore(directory: EmployeeDirectory): Promise<readonly StoreProblem[]> {
  const problems = await directory.check()
  if (!isReadable(problems)) return problems
  // A view can be too slow to be read as a whole, and still serve sign-ins.
  const ids = await directory.checkIds().catch((error: unknown) => {
    if (error instanceof StoreFailure) return []
    throw error
  })
  return [...problems, ...ids]
}

/**
 * Creates a health check. It returns why the store cannot be used, as a code, or null. It queries the store at most every
 * ten seconds, and for ids at most every ten minutes while they are unique, so that callers cannot overload it.
 */
export function createHealth(directory: EmployeeDirectory, now: () => number): () => Promise<string | null> {
  let known: Promise<string | null> | null = null
  let until = 0
  let idsUntil = 0

  async function ask(): Promise<string | null> {
    try {
      const withIds = idsUntil <= now()
      const problems = await (withIds ? inspectStore(directory) : directory.check())
      const cause = problems.find(({ usable }) => !usable)?.code ?? null
      if (withIds && cause === null) idsUntil = now() + rememberIdsMs
      return cause
    } catch (error) {
      return error instanceof StoreFailure ? error.reason : 'unexpected'
    } finally {
      until = now() + rememberMs
    }
  }

  return () => {
    if (known && until > now()) return known
    until = Number.POSITIVE_INFINITY
    known = ask()
    return known
  }
}
