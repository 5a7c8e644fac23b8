import { spawnSync } from 'node:child_process'
import { root } from './bundle.ts'
import { readArguments } from './usage.ts'

/** What must hold for each commit, the fastest first. */
const steps = [
  ['biome', 'ci', '.'],
  ['tsc'],
  ['node', 'tools/check-dist.ts'],
  ['node', 'tools/write-docs.ts', '--check'],
  ['node', 'tools/architecture.ts'],
] as const

readArguments(`Usage: npm run check

Checks format, lint, types, action/dist, the generated pages and the imports, and prints the rooms. It stops at the first that fails.
npm run format fixes what Biome can fix; npm run build and npm run docs write what is out of date.
`)
for (const [program, ...args] of steps) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    process.exitCode = status ?? 1
    break
  }
}
