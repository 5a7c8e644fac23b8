import { defineConfig } from 'vitest/config'
import { rooms } from './test/support/rooms.ts'

process.env['TEST_SEED'] ??= '20261121'
process.stdout.write(
  `Random tests run a sample with seed ${process.env['TEST_SEED']}. Set TEST_SEED for another.\n`,
)

export default defineConfig({ test: { projects: rooms, maxWorkers: '100%' } })
