import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
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

it('the infrastructure demo judges the program of another tree, and runs nothing else of it', async () => {
  // Where a pull request is checked out: its packages are those of this tree.
  const tree = await mkdtemp(join(root, 'build/proposed-'))
  try {
    for (const name of ['action', 'infra', 'lib', 'push', 'src', 'tools', 'package.json'])
      await cp(join(root, name), join(tree, name), { recursive: true })
    const file = join(tree, 'infra/resources/record-arguments.ts')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('const recordTtl = 120', 'const recordTtl = 60'))
    const { status, stdout } = await startDemo(['infra', '--tree', tree]).ended
    expect(stdout).toMatch(/✗ least-privilege +dns-record has ttl = 60 instead of 120\./)
    expect(stdout.match(/✗/g)).toHaveLength(1)
    expect(status).toBe(1)
  } finally {
    await rm(tree, { recursive: true })
  }
})
