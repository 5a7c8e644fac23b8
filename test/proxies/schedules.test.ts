import { expect, it } from 'vitest'
import { runSchedules } from '../push/schedules.ts'
import { withImmediateHashes } from '../simulation/router.ts'
import { commitSeed } from '../support/random.ts'

const count = 10_000

// It takes a minute, and several on a busy machine. `npm test` has a sample.
it('the endpoint says only what the record held in ten thousand random schedules', {
  timeout: 900_000,
}, async () => {
  const { first, words } = await withImmediateHashes(() => runSchedules(commitSeed, count))
  expect(first).toBeNull()
  expect(words['good']).toBeGreaterThan(count)
  expect(words['nochg']).toBeGreaterThan(count / 2)
})
