import { spawnSync } from 'node:child_process'
import { root } from './bundle.ts'
import { readArguments } from './usage.ts'

/** What must hold for each commit, the fastest first. */
const steps = [
  ['biome', 'ci', '.'],
  ['tsc'],
  ['node', 'tools/check-dist.ts'],
  ['node', 'tools/write-tables.ts', '--check'],
] as const

readArguments(`Usage: npm run check

Checks format, lint with the imports between rooms, types, action/dist and the generated tables. It stops at the first that
fails. npm run format fixes what Biome can fix and writes the tables; npm run build writes action/dist.
`)
for (const [program, ...args] of steps) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    process.exitCode = status ?? 1
    break
  }
}
