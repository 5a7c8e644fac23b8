/** A source file whose unit tests are measured, and the tests that must find its faults. */
export interface Target {
  readonly file: string
  /** Unit tests only: each mutant runs all of them. */
  readonly tests: readonly string[]
}

/** The minimum share of mutants that the tests must find, in percent. */
export const minScore = 95

export const targets: readonly Target[] = [
  { file: 'action/reconcile.ts', tests: ['test/action/reconcile.test.ts'] },
  { file: 'action/write.ts', tests: ['test/action/write.test.ts', 'test/action/time.test.ts'] },
  { file: 'action/notify.ts', tests: ['test/action/notify.test.ts'] },
  { file: 'action/ip-address.ts', tests: ['test/action/ip-address.test.ts'] },
  { file: 'action/address/quorum.ts', tests: ['test/action/address/quorum.test.ts'] },
  { file: 'action/address/ipv4.ts', tests: ['test/action/address/ipv4.test.ts'] },
  { file: 'action/address/ipv6.ts', tests: ['test/action/address/ipv6.test.ts'] },
  { file: 'action/address/check.ts', tests: ['test/action/address/check.test.ts'] },
  { file: 'action/address/echo.ts', tests: ['test/action/address/echo.test.ts'] },
  { file: 'action/text/redact.ts', tests: ['test/action/text/redact.test.ts'] },
  { file: 'src/session/seal.ts', tests: ['test/src/session/seal.test.ts'] },
  { file: 'src/sign-in/identity.ts', tests: ['test/src/sign-in/identity.test.ts'] },
  { file: 'src/sign-in/matching.ts', tests: ['test/src/sign-in/matching.test.ts'] },
  { file: 'src/sign-in/transaction.ts', tests: ['test/src/sign-in/transaction.test.ts'] },
  { file: 'src/http/cookies.ts', tests: ['test/src/http/cookie-header.test.ts'] },
]
