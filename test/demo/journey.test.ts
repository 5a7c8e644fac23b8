import { expect, it } from 'vitest'
import { startDemo } from './demo.ts'

// test/journeys and test/engine check what each step shows.
it('the journey demo shows the checks of each step, and stops with 1 at the first that fails', async () => {
  const args = ['journey', 'worker', '--embedded']
  const { status, stdout, stderr } = await startDemo(args, { CHROME_PATH: '/nowhere/chromium' }).ended
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^This takes about a minute.*\nThe program runs in the embedded engine, /)
  expect(stdout).toMatch(
    /\n5 of \d+ {2}The action follows .*\n {3}✓ action +updated, 203\.0\.113\.10\n {3}✓ record/,
  )
  expect(stdout).toMatch(/\n6 of \d+ {2}alice signs in .*\n {3}✗ failed +No browser started/)
  expect(stdout).toMatch(/Step 6 failed, alice signs in .*, so the rest was skipped\.\n$/)
  expect(stdout).not.toMatch(/cfat_|cfut_/)
  expect(status).toBe(1)
})
