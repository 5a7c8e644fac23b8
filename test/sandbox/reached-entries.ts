import { afterEach, vi } from 'vitest'
import { Journal } from '../../sandbox/http/journal.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The ledger entries that the answers of a test file relied on. */
    reached?: readonly string[]
    /** Every ledger entry, from the test of the ledger. */
    ledger?: readonly string[]
  }
}

// Notes for each test file which ledger entries its requests reached. unreached-entries.ts compares them with the ledger.
const open = vi.spyOn(Journal.prototype, 'open')

afterEach(({ task: { file } }) => {
  const cited = open.mock.results.flatMap(({ value }) => value.ledger as string[])
  file.meta.reached = [...new Set([...(file.meta.reached ?? []), ...cited])]
  open.mockClear()
})
