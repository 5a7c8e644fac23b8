import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the infrastructure demo in its own process. */
async function demo(...args: readonly string[]) {
  const program = `const { run } = await import('./demo/infra.ts'); process.exitCode = await run(${JSON.stringify(args)})`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
  })
  const [[status], shown, problem] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { status, shown, problem }
}

describe('the infrastructure demo', () => {
  it('shows what the program declares, and that the policies hold', async () => {
    const { status, shown, problem } = await demo()
    expect(problem).toBe('')
    expect(shown).not.toContain('✗')
    expect(shown).toContain('✓ policies')
    expect(shown).toMatch(/DnsRecord +dns-record .*ttl 120, protected, other owners: content comment tags/)
    expect(shown).not.toMatch(/cfat_|cfut_/)
    expect(status).toBe(0)
  })

  it('prints its options with --help, and refuses an unknown one', async () => {
    expect((await demo('--help')).shown).toContain('--help')
    const { status, problem } = await demo('--nonsense')
    expect(status).toBe(2)
    expect(problem).toContain('--help')
  })
})
