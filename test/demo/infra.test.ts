import { expect, it } from 'vitest'
import { demo } from './demo.ts'

it('the infrastructure demo shows what the program declares, and that the policies hold', async () => {
  const { status, output, problem } = await demo(['infra'])
  expect(problem).toBe('')
  expect(output).not.toContain('✗')
  expect(output).toContain('✓ policies')
  expect(output).toMatch(/DnsRecord +dns-record .*ttl 120, protected, other owners: content comment tags/)
  expect(output).not.toMatch(/cfat_|cfut_/)
  expect(status).toBe(0)
})
