import { root } from '../../tools/bundle.ts'
import { startNode } from '../support/command.ts'
import { timeLimit } from '../support/time-limit.ts'

/** Starts `npm run demo -- …`. */
export function startDemo(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return startNode(['demo/demo.ts', ...args], env, { cwd: root, timeLimitMs: timeLimit(300_000) })
}
