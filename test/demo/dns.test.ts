import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { show } from '../../demo/dns.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the demo as `npm run demo -- …` does. Calls `whenPrinted` with all output so far. */
async function demo(
  args: readonly string[],
  whenPrinted: (text: string, end: () => void) => void = () => {},
) {
  const child = spawn(process.execPath, ['demo/demo.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      text += chunk
      whenPrinted(text, () => child.kill('SIGINT'))
    })
  }
  const [status] = await once(child, 'close')
  return { status, text }
}

describe('the demo', () => {
  it('shows that the record follows the address, and names the emulators', async () => {
    const { status, text } = await demo([])
    expect(status).toBe(0)
    expect(text.match(/✓ action +(\w+)/g)?.map(line => line.split(/ +/).at(-1))).toEqual([
      'updated',
      'unchanged',
      'updated',
    ])
    expect(text.match(/✓ name server +answers +[\d.]+/g)).toHaveLength(3)
    expect(text).toMatch(/emulators/)
    expect(text).toMatch(/^.*\n.*in 4 steps, and takes a few seconds\./)
    expect(text.match(/^\d of 4 {2}/gm)).toEqual(['1 of 4  ', '2 of 4  ', '3 of 4  ', '4 of 4  '])
    expect(text).toMatch(/allow-reserved-address: true/)
    expect(text).toMatch(/Every step succeeded/)
  })

  it('fails if a step fails, and names it', async () => {
    const printed: string[] = []
    const print = vi.spyOn(process.stdout, 'write').mockImplementation(text => printed.push(String(text)) > 0)
    const [sandbox, other] = await Promise.all([startSandbox(), startSandbox({ seed: 2 })])
    const succeeded = await show({ ...sandbox.description, echo: other.description.echo })
    print.mockRestore()
    expect(succeeded).toBe(false)
    expect(printed.at(-1)).toContain('Failed: step 4, The address changes to 203.0.113.77.')
    await Promise.all([sandbox.close(), other.close()])
  })

  it('keeps the sandbox running with --keep, until a signal', async () => {
    const { status, text } = await demo(['--keep'], (printed, end) => {
      if (printed.includes('+short\n')) end()
    })
    expect(status).toBe(0)
    expect(text).toMatch(/keeps running until Ctrl-C/)
  })

  it('names the taken port and what to do', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { status, text } = await demo(['--port', `${port}`])
    expect(status).toBe(1)
    expect(text).toMatch(new RegExp(`Port ${port} is taken.*--port`))
    holder.close()
  })

  it('names the taken port of the page and its option', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const { status, text } = await demo(['--keep', '--page-port', `${port}`])
    expect(status).toBe(1)
    expect(text).toMatch(new RegExp(`Port ${port} is taken.*--page-port`))
    holder.close()
  })

  it.each([['--prot'], ['--port', 'x'], ['--port', '99999'], ['--page-port', '1e3'], ['sign']])(
    'refuses %s and points to the help',
    async (...args) => {
      const { status, text } = await demo(args)
      expect(status).toBe(2)
      expect(text).toMatch(/--help/)
    },
  )

  it('prints help', async () => {
    const { status, text } = await demo(['--help'])
    expect(status).toBe(0)
    for (const option of ['--keep', '--page-port', '--port', '--help']) expect(text).toContain(option)
  })
})
