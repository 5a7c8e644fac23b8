import { defineConfig } from 'vitest/config'

/** The real engine: minutes, and a CLI that may have to be built first. Apart from `npm test` for both reasons. */
export default defineConfig({
  test: {
    name: 'engine',
    include: ['test/engine/**/*.test.ts'],
    globalSetup: ['test/support/engine/setup.ts'],
    // A run of the engine is half a dozen processes already.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
