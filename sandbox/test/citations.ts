import { afterEach } from 'vitest'
import type { Control } from '../control/control.ts'

/**
 * Returns the entries of an area that the journal did not name.
 * @param ids matches the entries that a test file covers
 */
export const uncited = (entries: object, cited: ReadonlySet<string>, ids = /^/): string[] =>
  Object.keys(entries).filter(id => ids.test(id) && !cited.has(id))

/** Returns the ledger entries that the journal cites while the tests of a file run. */
export function collectCitations(control: () => Control): ReadonlySet<string> {
  const cited = new Set<string>()
  afterEach(() => {
    for (const { ledger } of control().journal()) for (const id of ledger) cited.add(id)
  })
  return cited
}
