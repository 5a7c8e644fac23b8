import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { demo } from './demo.ts'

it.each([
  ['dns', ['--keep', '--page-port', '--port']],
  ['infra', ['--help']],
  ['journey', ['--embedded']],
  ['push', ['--keep']],
  ['sign-in', ['--headless']],
])('the demo %s names its options, and refuses others', async (name, options) => {
  const { output } = await demo([name, '--help'])
  for (const option of options) expect(output).toContain(option)
  const { status, problem } = await demo([name, '--nonsense'])
  expect(status).toBe(2)
  expect(problem).toContain('--nonsense')
})

it.each([[['--port', '99999']], [['sign']], [['journey', 'neither']]])(
  'refuses %j and points to the help',
  async args => {
    const { status, problem } = await demo(args)
    expect(status).toBe(2)
    expect(problem).toContain('--help')
  },
)

it('names a port that is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  const { status, output, problem } = await demo(['--keep', '--page-port', `${port}`])
  expect(status).toBe(1)
  expect(output + problem).toMatch(new RegExp(`Port ${port} is taken.*--page-port`))
  holder.close()
})
