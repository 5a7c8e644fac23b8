import { expect, it } from 'vitest'
import { startDemo } from './demo.ts'

it('the infrastructure demo shows what the program declares, and that the policies hold', async () => {
  const { status, stdout, stderr } = await startDemo(['infra']).ended
  expect(stderr).toBe('')
  expect(stdout).not.toContain('✗')
  expect(stdout).toContain('✓ policies')
  expect(stdout).toMatch(/DnsRecord +dns-record .*ttl 120, protected, other owners: content comment tags/)
  expect(stdout).not.toMatch(/cfat_|cfut_/)
  expect(status).toBe(0)
})
