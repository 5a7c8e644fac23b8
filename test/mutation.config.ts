import { defineConfig } from 'vitest/config'

process.env['TEST_SEED'] ??= '20261121'

/** The unit tests of the files in stryker.config.json. A scenario starts a process, which takes too long for each mutant. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: [
      'test/lib/ip-address.test.ts',
      'test/action/{reconcile,write,notify}.test.ts',
      'test/action/address/{quorum,check,echo}.test.ts',
      'test/lib/redact.test.ts',
      'test/src/session/seal.test.ts',
      'test/src/sign-in/{identity,matching,transaction}.test.ts',
      'test/src/http/cookie-header.test.ts',
    ],
    // A time limit finds no faults, and takes seconds for each mutant.
    testNamePattern: /^(?!.*takes little time)/,
  },
})
