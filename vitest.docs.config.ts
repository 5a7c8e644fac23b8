import { defineConfig } from 'vitest/config'

/** What the pages tell people to run, and the rehearsal of a release. `.ci/run` runs them apart from `npm test`. */
export default defineConfig({
  test: {
    name: 'docs',
    include: ['test/docs/**/*.test.ts'],
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
})
