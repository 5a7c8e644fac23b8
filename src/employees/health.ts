import type { EmployeeDirectory } from './directory.ts'

/** How long one probe counts, in milliseconds. */
const rememberMs = 10_000

/** Creates a health check. It probes the store at most every ten seconds, so that callers cannot load the store. */
export function createHealth(directory: EmployeeDirectory, now: () => number): () => Promise<boolean> {
  let known: Promise<boolean> | null = null
  let until = 0

  function remember(healthy: boolean): boolean {
    until = now() + rememberMs
    return healthy
  }

  return () => {
    if (known && until > now()) return known
    until = Number.POSITIVE_INFINITY
    known = directory.probe().then(
      () => remember(true),
      () => remember(false),
    )
    return known
  }
}
