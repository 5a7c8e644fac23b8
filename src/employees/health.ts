import { type EmployeeDirectory, StoreFailure } from './directory.ts'

/** How long a result is reused, in milliseconds. */
const rememberMs = 10_000

/**
 * Creates a health check. It returns why the store cannot be used, as a code, or null. It queries the store at most every
 * ten seconds, so that callers cannot overload it.
 */
export function createHealth(directory: EmployeeDirectory, now: () => number): () => Promise<string | null> {
  let known: Promise<string | null> | null = null
  let until = 0

  async function ask(): Promise<string | null> {
    try {
      const problems = await directory.check()
      return problems.find(({ usable }) => !usable)?.code ?? null
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
