import type { EmployeeDirectory } from './employees/directory.ts'

/** How long one look at the store answers for all who ask. */
const rememberMs = 10_000

/** Whether the handler can do its work, looked up at most every ten seconds, so that asking is no way to load the store. */
export function createHealth(directory: EmployeeDirectory, now: () => number): () => Promise<boolean> {
  let known: { readonly ok: boolean; readonly until: number } | null = null
  return async () => {
    if (known && known.until > now()) return known.ok
    const ok = await directory.probe().then(
      () => true,
      () => false,
    )
    known = { ok, until: now() + rememberMs }
    return ok
  }
}
