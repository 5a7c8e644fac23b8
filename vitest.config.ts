import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { rooms } from './test/support/rooms.ts'

// Many tests start the same programs: Node compiles each module once, and removes its types once.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))
process.env['TEST_SEED'] ??= '20261121'
process.stdout.write(
  `Random tests run a sample with seed ${process.env['TEST_SEED']}. Set TEST_SEED for another.\n`,
)

// Most files wait for processes, browsers and timeouts: four at a time also keep two cores busy.
export default defineConfig({ test: { projects: rooms, maxWorkers: Math.max(4, availableParallelism()) } })
