import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { migrations } from '../../../src/operator/migrations.ts'

/** Makes a table, or an index of one. */
const allowed =
  /^CREATE (?:TABLE IF NOT EXISTS (homeport_\w+) \(|INDEX IF NOT EXISTS \w+ ON (homeport_\w+) \()/

it('only add tables, so the previous release can use what they leave', () => {
  const madeBefore = new Set<string>()
  for (const { statements, version } of migrations) {
    const made = new Set<string>()
    for (const statement of statements) {
      const [, table, indexed] = allowed.exec(statement) ?? []
      expect(table ?? indexed, `${version}: ${statement}`).toBeDefined()
      if (table !== undefined) made.add(table)
      else expect(made, statement).toContain(indexed)
    }
    for (const table of made) {
      expect(madeBefore, `${version} makes ${table} again`).not.toContain(table)
      madeBefore.add(table)
    }
  }
})

it('stay as they were once somebody can have run them', () => {
  const digests = migrations.map(({ version, statements }) => [
    version,
    createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16),
  ])
  expect(digests).toEqual([
    [1, 'c6d8d9e990e32a7d'],
    [2, '4d165265da3da7f1'],
  ])
})
