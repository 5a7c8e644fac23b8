import { defineConfig } from 'vitest/config'

process.env['TEST_SEED'] ??= '20261121'

/** The tests of one target; `run.ts` names them. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: (process.env['MUTATION_TESTS'] ?? '').split(' ').filter(file => file !== ''),
    // A time limit finds no faults, and takes seconds for each mutant.
    testNamePattern: /^(?!.*takes little time)/,
  },
})
