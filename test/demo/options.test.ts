import { expect, it } from 'vitest'
import { startDemo } from './demo.ts'

it.each([[['--help']], [['journey', '-h']]])('shows its help with %j', async args => {
  const { status, stdout } = await startDemo(args).ended
  expect(status).toBe(0)
  expect(stdout).toContain('--help')
})

it.each([
  [['--page-port', '8080']],
  [['sign']],
  [['infra', 'more']],
  [['journey', 'neither']],
  [['push', '--no']],
])('refuses %j and points to the help', async args => {
  const { status, stderr } = await startDemo(args).ended
  expect(status).toBe(2)
  expect(stderr).toContain('--help')
})
