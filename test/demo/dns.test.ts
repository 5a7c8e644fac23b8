import { expect, it, vi } from 'vitest'
import { show } from '../../demo/dns.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startDemo } from './demo.ts'

it('shows that the record follows the address', async () => {
  const { status, stdout } = await startDemo(['dns']).ended
  expect(stdout.match(/✓ action +\w+/g)?.map(line => line.split(/ +/).at(-1))).toEqual([
    'updated',
    'unchanged',
    'updated',
  ])
  expect(stdout.match(/✓ name server +answers +[\d.]+/g)).toHaveLength(3)
  expect(stdout).toContain('Every step succeeded')
  expect(status).toBe(0)
})

it('fails if a step fails, and names it', async () => {
  const printed: string[] = []
  const print = vi.spyOn(process.stdout, 'write').mockImplementation(text => printed.push(String(text)) > 0)
  const [sandbox, other] = await Promise.all([startSandbox(), startSandbox({ seed: 2 })])
  const status = await show({ ...sandbox.description, echo: other.description.echo })
  print.mockRestore()
  expect(status).toBe(1)
  expect(printed.at(-1)).toContain('Failed: step 4, The address changes to 203.0.113.77.')
  await Promise.all([sandbox.close(), other.close()])
})
