import { expect, it } from 'vitest'
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
  const noAction = "process.execPath = '/bin/false'"
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noAction)}` }
  const { status, stdout } = await startDemo(['dns'], env).ended
  expect(stdout).toContain('Failed: step 2, The address changes to 203.0.113.10;')
  expect(status).toBe(1)
})
