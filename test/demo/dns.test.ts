import { describe, expect, it, vi } from 'vitest'
import { show } from '../../demo/dns.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { demo } from './demo.ts'

describe('the demo', () => {
  it('shows that the record follows the address, and names the emulators', async () => {
    const { status, output: text } = await demo(['dns'])
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
    const { status, output: text } = await demo(['--keep'], {}, (printed, end) => {
      if (printed.includes('+short\n')) end()
    })
    expect(status).toBe(0)
    expect(text).toMatch(/keeps running until Ctrl-C/)
  })
})
