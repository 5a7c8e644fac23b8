import { type EmployeeStore, fromStore, StoreFailure, storeTimeoutMs } from './employee-store.ts'

/** How long a result is reused, in milliseconds. */
const rememberMs = 10_000

/** How long ids that were unique are not read again, in milliseconds: that reads every employee. */
const rememberIdsMs = 600_000

/** Longer than both queries of a check. */
const defaultDeadlineMs = 2 * storeTimeoutMs + 1000

/** Checks the store. Returns why it cannot be used, as a code, or null. `keepAlive` is as in a request's context. */
export type FindCause = (keepAlive?: (work: Promise<unknown>) => void) => Promise<string | null>

/**
 * Creates a health check. It queries the store at most every ten seconds, and for ids at most every ten minutes while they
 * are unique, so that callers cannot overload it. Callers share a check, but none waits longer than the deadline: where the
 * runtime drops a request whose caller left, its check never ends.
 * @param now milliseconds of a clock that is never set back
 */
export function createHealth(
  employees: EmployeeStore,
  now: () => number,
  deadlineMs: number = defaultDeadlineMs,
): FindCause {
  let known: Promise<string | null> | null = null
  let until = 0
  let idsUntil = 0

  async function ask(): Promise<string | null> {
    try {
      const problems = await employees.check()
      const cause = problems.find(({ usable }) => !usable)?.code ?? null
      if (cause !== null || idsUntil > now()) return cause
      if ((await sharedIds(employees)).length > 0) return 'id-not-unique'
      idsUntil = now() + rememberIdsMs
      return null
    } catch (error) {
      return causeOf(error)
    } finally {
      until = now() + rememberMs
    }
  }

  return async keepAlive => {
    if (!known || until <= now()) {
      until = now() + deadlineMs
      known = ask()
      keepAlive?.(known)
    }
    return fromStore(known, deadlineMs).catch(causeOf)
  }
}

/** Returns why a store failed, as a code. */
export function causeOf(error: unknown): string {
  return error instanceof StoreFailure ? error.reason : 'unexpected'
}

/** Returns ids that different records share. A view that is too slow to be read as a whole can still serve sign-ins. */
export async function sharedIds(employees: EmployeeStore): Promise<readonly string[]> {
  return employees.findSharedIds().catch(error => {
    if (error instanceof StoreFailure) return []
    throw error
  })
}
