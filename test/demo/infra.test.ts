import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
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

it('the infrastructure demo judges by the policies of another tree', async () => {
  const folder = temporaryFolder()
  const finding = { rule: 'a-rule', resource: { name: 'dns-record' }, message: 'has ttl = 120 instead of 1.' }
  await writeFile(join(folder, 'rules.ts'), `export const judge = () => [${JSON.stringify(finding)}]`)
  const { status, stdout } = await startDemo(['infra', '--policy', folder]).ended
  expect(stdout).toMatch(/✗ a-rule +dns-record has ttl = 120 instead of 1\./)
  expect(status).toBe(1)
})
