import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the infrastructure's demo in a process of its own. */
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

describe('the demo of the infrastructure', () => {
  it('shows what is declared and what the services say of it', async () => {
    const { status, shown, problem } = await demo()
    expect(problem).toBe('')
    expect(shown).not.toContain('✗')
    expect(shown.match(/✓ \S+/g)).toEqual([
      '✓ policies',
      '✓ engine',
      '✓ record',
      '✓ token',
      '✓ GitHub',
      '✓ after-up',
      '✓ handler',
      '✓ redirect',
    ])
    expect(shown).toMatch(/DnsRecord +dns-record .*ttl 120, protected, content is somebody else's/)
    expect(shown).not.toMatch(/cfat_|cfut_/)
    expect(status).toBe(0)
  })

  it('shows the graph alone without any service', async () => {
    const { status, shown } = await demo('--graph')
    expect(status).toBe(0)
    expect(shown).toContain('✓ policies')
    expect(shown).not.toContain('What was made')
  })

  it('explains itself, and says what it does not know', async () => {
    expect((await demo('--help')).shown).toContain('--graph')
    const { status, problem } = await demo('--nonsense')
    expect(status).toBe(2)
    expect(problem).toContain('--help')
  })
})
