import { readdir } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { documented, type Entry } from '../http/ledger.ts'
import { startSandbox } from '../sandbox.ts'
import { type Running, runSandbox } from './running.ts'

const sandbox = runSandbox()

const started = await startSandbox()
const areas = started.ledger
await started.close()
const ledger: Record<string, Entry> = Object.assign({}, ...areas.map(({ entries }) => entries))

/** A file in `tours/`: requests that reach every ledger entry of an area. */
interface Tour {
  tour(sandbox: Running): Promise<void>
}

describe('the ledger', () => {
  const cited = new Set<string>()

  beforeAll(async () => {
    for (const file of await readdir(new URL('./tours/', import.meta.url))) {
      const { tour } = (await import(`./tours/${file.replace(/\.ts$/, '')}.ts`)) as Tour
      const before = await sandbox.control('GET', '/state')
      await tour(sandbox)
      for (const entry of await sandbox.journal()) for (const id of entry.ledger) cited.add(id)
      await sandbox.control('DELETE', '/journal')
      await sandbox.control('PUT', '/state', before.body)
    }
  })

  it.each(areas)('has no entry that the tours do not reach: $title', ({ entries }) => {
    expect(Object.keys(entries).filter(id => !cited.has(id))).toEqual([])
  })

  it('has every entry that the journal cites', () => {
    expect([...cited].filter(id => !Object.hasOwn(ledger, id))).toEqual([])
  })
})

it('every ledger entry has a sentence, a source and a reference', () => {
  for (const [id, { what, source, where }] of Object.entries(ledger)) {
    expect(['documented', 'observed', 'tried', 'assumed'], id).toContain(source)
    expect(what, id).toMatch(/\.$/)
    expect(where, id).not.toBe('')
    if (source === 'observed') expect(where, `${id} has a date`).toMatch(/\b20\d\d\b/)
  }
})

it('no ledger entry is in two areas', () => {
  const ids = areas.flatMap(({ entries }) => Object.keys(entries))
  expect(new Set(ids).size).toBe(ids.length)
})

it('a behaviour without a reference cannot be documented', () => {
  expect(documented`An alias is followed. [RFC 1034]`).toEqual({
    what: 'An alias is followed.',
    source: 'documented',
    where: 'RFC 1034',
  })
  expect(() => documented`An alias is followed.`).toThrow(
    'A behaviour has no reference: An alias is followed.',
  )
})
