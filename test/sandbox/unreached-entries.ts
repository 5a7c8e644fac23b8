import { globSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/** Fails a run of all tests of the sandbox if they reach fewer entries than the ledger has, or others. */
export default class UnreachedEntries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const own = modules.filter(({ project }) => project.name === 'sandbox').map(module => module.meta())
    if (own.length < globSync('**/*.test.ts', { cwd: import.meta.dirname }).length) return
    const reached = new Set(own.flatMap(meta => meta.reached ?? []))
    const ledger = new Set(own.flatMap(meta => meta.ledger ?? []))
    for (const [problem, ids] of [
      [
        'The ledger of the sandbox has entries that no test reaches',
        [...ledger].filter(id => !reached.has(id)),
      ],
      [
        'Answers of the sandbox rely on entries that its ledger lacks',
        [...reached].filter(id => !ledger.has(id)),
      ],
    ] as const) {
      if (ids.length === 0) continue
      process.stderr.write(`${problem}: ${ids.join(', ')}\n`)
      process.exitCode = 1
    }
  }
}
