import { expect, it } from 'vitest'
import { demo } from './demo.ts'

it.each([[['--help']], [['journey', '-h']]])('shows its help with %j', async args => {
  const { status, output } = await demo(args)
  expect(status).toBe(0)
  expect(output).toContain('--help')
})

it.each([
  [['--page-port', '8080']],
  [['sign']],
  [['infra', 'more']],
  [['journey', 'neither']],
  [['push', '--no']],
])('refuses %j and points to the help', async args => {
  const { status, problem } = await demo(args)
  expect(status).toBe(2)
  expect(problem).toContain('--help')
})
