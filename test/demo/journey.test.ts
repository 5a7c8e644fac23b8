import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'

/** Runs the demo as `npm run demo -- journey …` does. */
async function demo(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['demo/demo.ts', 'journey', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
  })
  const [[status], shown, problem] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { status, shown, problem }
}

/** test/journeys and test/engine check what each step shows. */
describe('the journey demo', () => {
  it('shows the checks of each step, and stops with 1 at the first that fails', async () => {
    const { status, shown, problem } = await demo(['worker', '--embedded'], {
      CHROME_PATH: '/nowhere/chromium',
    })
    expect(problem).toBe('')
    expect(shown).toMatch(/^This takes about a minute.*\nThe program runs in the embedded engine, /)
    expect(shown).toMatch(
      /\n5 of \d+ {2}The action follows .*\n {3}✓ action +updated, 203\.0\.113\.10\n {3}✓ record/,
    )
    expect(shown).toMatch(/\n6 of \d+ {2}alice signs in .*\n {3}✗ failed +No browser started/)
    expect(shown).toMatch(/Step 6 failed, alice signs in .*, so the rest was skipped\.\n$/)
    expect(shown).not.toMatch(/cfat_|cfut_/)
    expect(status).toBe(1)
  })

  it('prints its options with --help, and refuses an unknown one', async () => {
    expect((await demo(['--help'])).shown).toContain('--embedded')
    const { status, problem } = await demo(['--nonsense'])
    expect(status).toBe(2)
    expect(problem).toContain('--help')
    expect((await demo(['neither'])).problem).toContain('host or worker')
  })
})
