import { defineConfig } from 'vitest/config'

/** GitHub's language service imports JSON without attributes, which plain Node refuses: vite loads it instead. */
const inlined = [/@actions\/(languageservice|workflow-parser|expressions)/]

/** One project a room, so that `npm test -- --project action` runs one of them. */
const project = (name: string, { concurrent = false, globalSetup = [] as string[] } = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    sequence: { concurrent },
    globalSetup,
    maxConcurrency: 6,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    server: { deps: { inline: inlined } },
  },
})

export default defineConfig({
  test: {
    projects: [
      // Each scenario has a process and a sandbox of its own, and mostly waits.
      project('action', { concurrent: true }),
      project('sandbox'),
      project('src', { globalSetup: ['test/src/support/cluster.ts'] }),
      project('demo'),
      project('repository'),
    ],
  },
})
