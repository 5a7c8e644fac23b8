import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { problems } from '../../sandbox/entra/login/aadsts.ts'
import { documented } from '../../sandbox/http/ledger.ts'
import { type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts'

async function ledgerOf(options: SandboxOptions) {
  const { ledger, close } = await startSandbox(options)
  await close()
  return ledger
}

const areas = await ledgerOf({ entra: { redirectUris: [] }, github: true })
/** The areas whose observations have dates. */
const dated = await ledgerOf({})
const entries = areas.flatMap(area => Object.entries(area.entries))

const sources = `${import.meta.dirname}/../../sandbox`
const code = globSync('**/*.ts', { cwd: sources })
  .filter(path => !path.includes('ledger'))
  .map(path => readFileSync(`${sources}/${path}`, 'utf8'))
  .join('\n')
const ofProblems = Object.values(problems).flatMap(({ cites }) => Object.values(cites).flat())

it.each(areas)('the code cites every ledger entry: $title', area => {
  const ids = Object.keys(area.entries)
  expect(ids.filter(id => !code.includes(`'${id}'`) && !ofProblems.some(one => one === id))).toEqual([])
})

it('every ledger entry has a sentence, a source and a reference', () => {
  for (const [id, { what, source, where }] of entries) {
    expect(['documented', 'observed', 'tried', 'assumed'], id).toContain(source)
    expect(what, id).toMatch(/\.$/)
    expect(where, id).not.toBe('')
  }
  for (const [id, { source, where }] of dated.flatMap(area => Object.entries(area.entries)))
    if (source === 'observed') expect(where, `${id} has a date`).toMatch(/\b20\d\d\b/)
})

it('no ledger entry is in two areas', ({ task }) => {
  // unreached-entries.ts compares them with those that the tests reach.
  task.file.meta.ledger = entries.map(([id]) => id)
  expect(new Set(entries.map(([id]) => id)).size).toBe(entries.length)
})

it('the ledger names every AADSTS code that the emulator returns', () => {
  const text = JSON.stringify(entries)
  const missing = Object.values(problems).filter(({ code }) => !new RegExp(`\\b${code}\\b`).test(text))
  expect(missing).toEqual([])
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
