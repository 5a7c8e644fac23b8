import { defineConfig } from 'vitest/config'

/** GitHub's language service imports JSON without attributes, which plain Node refuses: vite loads it instead. */
const inlined = [/@actions\/(languageservice|workflow-parser|expressions)/]

/** One project a room, so that `npm test -- --project action` runs one of them. */
const project = (name: string) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    server: { deps: { inline: inlined } },
  },
})

export default defineConfig({
  test: { projects: ['action', 'sandbox', 'demo', 'repository'].map(project) },
})
