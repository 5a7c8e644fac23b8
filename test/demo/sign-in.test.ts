import { describe, expect, it } from 'vitest'
import { hasBrowser } from '../support/browser.ts'
import { demo } from './demo.ts'

describe('the sign-in demo', () => {
  it.skipIf(!hasBrowser)('signs in and out in a browser, and exits with 0', { timeout: 90_000 }, async () => {
    const { status, output } = await demo(['sign-in', '--headless'])
    expect(status).toBe(0)
    expect(output).toMatch(/alice signs in .*\nalice signs out .*\n/)
    expect(output).toContain('Every step succeeded.')
  })

  it('serves until it is interrupted, and names two people to sign in as', { timeout: 90_000 }, async () => {
    let origin = ''
    let served: Promise<number> | null = null
    const { status, output } = await demo(['sign-in'], {}, (printed, interrupt) => {
      if (served !== null || !printed.includes('Ctrl-C')) return
      origin = /Open (http:\S+)/.exec(printed)?.[1] ?? ''
      served = fetch(origin)
        .then(answer => answer.status)
        .finally(interrupt)
    })
    expect(await served).toBe(200)
    expect(output).toContain('alice@example.com')
    expect(output).toContain('bob@example.com')
    expect(status).toBe(0)
    await expect(fetch(origin)).rejects.toThrow()
  })
})
