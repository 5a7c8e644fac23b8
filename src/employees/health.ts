import { type EmployeeDirectory, StoreFailure } from './directory.ts'

/** How long a result is reused, in milliseconds. */
const rememberMs = 10_000

/** How long ids that were unique are not read again, in milliseconds: that reads every employee. */
const rememberIdsMs = 600_000

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
      const problems = await directory.check()
      const cause = problems.find(({ usable }) => !usable)?.code ?? null
      if (cause !== null || idsUntil > now()) return cause
      if ((await sharedIds(directory)).length > 0) return 'id-not-unique'
      idsUntil = now() + rememberIdsMs
      return null
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

/** Returns ids that different records share. A view that is too slow to be read as a whole can still serve sign-ins. */
export async function sharedIds(directory: EmployeeDirectory): Promise<readonly string[]> {
  return directory.findSharedIds().catch(error => {
    if (error instanceof StoreFailure) return []
    throw error
  })
}
