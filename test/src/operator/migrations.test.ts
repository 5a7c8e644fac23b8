import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { migrations } from '../../../src/operator/migrations.ts'

const tableOf = (sql: string) => /^CREATE TABLE IF NOT EXISTS (homeport_\w+) \(/.exec(sql)?.[1]

it('only add tables, so the previous release can use what they leave', () => {
  const made = migrations.map(({ statements }) => statements.flatMap(sql => tableOf(sql) ?? []))
  for (const [index, { statements }] of migrations.entries())
    for (const sql of statements) {
      const [, indexed] = /^CREATE INDEX IF NOT EXISTS \w+ ON (homeport_\w+) \(/.exec(sql) ?? []
      expect(made[index], sql).toContain(tableOf(sql) ?? indexed)
    }
  expect(new Set(made.flat()).size).toBe(made.flat().length)
})

it('stay as they were once somebody can have run them', () => {
  const digests = migrations.map(({ version, statements }) => [
    version,
    createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 16),
  ])
  expect(digests).toEqual([
    [1, 'c6d8d9e990e32a7d'],
    [2, '7215ae8fc9119e5b'],
  ])
})
