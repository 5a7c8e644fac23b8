import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { rooms } from './test/support/rooms.ts'

/** The random tests with a new seed and many more runs, for TEST_MINUTES minutes or less. */

process.env['TEST_MINUTES'] ??= '15'
process.env['TEST_SEED'] ??= String(randomInt(2 ** 31))
const { TEST_MINUTES: minutes, TEST_SEED: seed } = process.env
process.stdout.write(`Random tests run for at most ${minutes} minutes with seed ${seed}. To repeat this run:
TEST_SEED=${seed} TEST_MINUTES=${minutes} npm run test:long\n`)

const isRandom = (file: string): boolean => readFileSync(file, 'utf8').includes('/support/random.ts')

export default defineConfig({
  test: {
    projects: rooms
      .map(({ test }) => ({
        test: { ...test, include: globSync(test.include).filter(isRandom), testTimeout: 180_000 },
      }))
      .filter(({ test }) => test.include.length > 0),
  },
})
