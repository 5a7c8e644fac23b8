import { availableParallelism, loadavg } from 'node:os'
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

type Failure = ReturnType<TestModule['errors']>[number]

/** The errors of vitest's limits, of a poll, of Playwright and of `startProgram`. */
const limits = /timed out in|did not succeed in time|Timeout \d+ms exceeded|after its time limit/

/** Returns whether a test failed by a time limit and not by what it asserts. */
function isTimeLimit({ message, cause }: { readonly message: string; readonly cause?: unknown }): boolean {
  const isCaused = typeof cause === 'object' && cause !== null && 'message' in cause
  return limits.test(message) || (isCaused && isTimeLimit({ ...cause, message: String(cause.message) }))
}

/** Tells at the end which tests failed by a time limit, and the load when they did: on a busy machine that need not be a fault. */
export class TimeLimitReporter implements Reporter {
  readonly #told: string[] = []

  onTestCaseResult(test: TestCase): void {
    this.#note(test.fullName, test.result().errors)
  }

  onTestSuiteResult(suite: TestSuite): void {
    this.#note(suite.fullName, suite.errors())
  }

  onTestModuleEnd(module: TestModule): void {
    this.#note(module.relativeModuleId, module.errors())
  }

  onTestRunEnd(): void {
    if (this.#told.length === 0) return
    process.stderr.write(
      `Failed by a time limit. If the machine is busy, set TEST_TIME_FACTOR to 2 or more:\n`,
    )
    for (const line of this.#told) process.stderr.write(`  ${line}\n`)
  }

  #note(name: string, errors: readonly Failure[] = []): void {
    if (!errors.some(isTimeLimit)) return
    this.#told.push(`${name} (load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors)`)
  }
}
