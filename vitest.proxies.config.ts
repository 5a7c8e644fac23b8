import { defineConfig } from 'vitest/config'

/** The documents' own proxy configurations, with real proxies. Apart from `npm test`, since they are fetched first. */
export default defineConfig({
  test: {
    name: 'proxies',
    include: ['test/proxies/**/*.test.ts'],
    globalSetup: ['test/src/support/cluster.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
