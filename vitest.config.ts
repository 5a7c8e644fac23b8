import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { rooms } from './test/support/rooms.ts'

process.env['TEST_SEED'] ??= '20261121'
process.stdout.write(
  `Random tests run a sample with seed ${process.env['TEST_SEED']}. Set TEST_SEED for another.\n`,
)

// Many tests wait for a process or a timer: one worker more than cores keeps the cores busy.
export default defineConfig({ test: { projects: rooms, maxWorkers: availableParallelism() + 1 } })
