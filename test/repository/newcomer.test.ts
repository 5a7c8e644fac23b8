import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

it('tests that need a browser are skipped where none starts, with one sentence', { timeout: 120_000 }, () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', 'test/journeys/journey.test.ts']
  const env = { ...process.env, CHROME_PATH: '/nowhere/chromium', VITEST: '' }
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  expect(stderr).toMatch(/^Tests in a browser are skipped\. No browser started .* CHROME_PATH .*\n$/)
  expect(status).toBe(0)
})
