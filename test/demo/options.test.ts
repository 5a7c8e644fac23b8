import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { demo } from './demo.ts'

it.each([[['--help']], [['journey', '-h']]])('shows its help with %j', async args => {
  const { status, output } = await demo(args)
  expect(status).toBe(0)
  expect(output).toContain('--help')
})

it.each([
  [['--port', '99999']],
  [['sign']],
  [['infra', 'more']],
  [['journey', 'neither']],
  [['push', '--no']],
])('refuses %j and points to the help', async args => {
  const { status, problem } = await demo(args)
  expect(status).toBe(2)
  expect(problem).toContain('--help')
})

it('names a port that is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const { status, problem } = await demo(['--keep', '--page-port', `${port}`])
  expect(status).toBe(1)
  expect(problem).toMatch(new RegExp(`Port ${port} is taken.*--page-port`))
  holder.close()
})
