import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../support/browser.ts'
import { startDemo } from './demo.ts'

describe('the sign-in demo', () => {
  it.skipIf(!hasBrowser)('signs in and out in a browser, and exits with 0', async () => {
    const { status, stdout } = await startDemo(['sign-in', '--headless']).ended
    expect(status).toBe(0)
    expect(stdout).toMatch(/alice signs in .*\nalice signs out .*\n/)
    expect(stdout).toContain('Every step succeeded.')
  })

  it('serves until it is interrupted, and names two people to sign in as', async () => {
    const { ended, printed, process } = startDemo(['sign-in'])
    const [, origin = ''] = await printed(/Open (http:\S+)[\s\S]*Ctrl-C/)
    const served = await fetch(origin).finally(() => process.kill('SIGINT'))
    expect(served.status).toBe(200)
    const { status, stdout } = await ended
    expect(stdout).toContain('alice@example.com')
    expect(stdout).toContain('bob@example.com')
    expect(status).toBe(0)
    await expect(fetch(origin)).rejects.toThrow()
  })
})
