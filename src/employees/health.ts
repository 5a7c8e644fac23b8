import type { EmployeeDirectory } from './directory.ts'

/** How long one look at the store answers for all who ask. */
const rememberMs = 10_000

/** Whether the handler can do its work, looked up at most every ten seconds, so that asking is no way to load the store. */
export function createHealth(directory: EmployeeDirectory, now: () => number): () => Promise<boolean> {
  let known: Promise<boolean> | null = null
  let until = 0
  return () => {
    if (known && until > now()) return known
    until = Number.POSITIVE_INFINITY
    const remember = (ok: boolean) => {
      until = now() + rememberMs
      return ok
    }
    known = directory.probe().then(
      () => remember(true),
      () => remember(false),
    )
    return known
  }
}
