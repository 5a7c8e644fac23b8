import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { hasBrowser } from '../support/browser.ts'

const script =
  "const { run } = await import('./demo/sign-in.ts'); process.exitCode = await run(process.argv.slice(1))"
const demo = (...args: string[]) => ['--input-type=module', '--eval', script, '--', ...args]

describe('the sign-in demo', () => {
  it.skipIf(!hasBrowser)('signs in and out in a browser, and exits with 0', { timeout: 90_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, demo('--headless'), { cwd: root })
    expect(stdout).toMatch(/alice signs in .*\nalice signs out .*\n/)
    expect(stdout).toContain('Every step succeeded.')
  })

  it('serves until it is interrupted, and names two people to sign in as', { timeout: 90_000 }, async () => {
    const child = spawn(process.execPath, demo(), { cwd: root })
    let output = ''
    child.stdout.on('data', chunk => {
      output += chunk
    })
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Ctrl-C')
    const origin = /Open (http:\S+)/.exec(output)?.[1] ?? ''
    expect((await fetch(origin)).status).toBe(200)
    expect(output).toContain('alice@example.com')
    expect(output).toContain('bob@example.com')
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
    await expect(fetch(origin)).rejects.toThrow()
  })

  it('refuses an unknown option', async () => {
    await expect(promisify(execFile)(process.execPath, demo('--bogus'), { cwd: root })).rejects.toMatchObject(
      { code: 2 },
    )
  })
})
