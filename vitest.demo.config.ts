import { defineConfig } from 'vitest/config'

/** The demos' journeys: a minute of browsers, clusters and engines that `.ci/run` walks, and `npm test` does not. */
export default defineConfig({
  test: { name: 'demo', include: ['test/demo/**/*.test.ts'], testTimeout: 90_000, hookTimeout: 30_000 },
})
