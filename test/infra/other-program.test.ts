import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { types } from '../../infra/resource-names.ts'
import { runProgram } from '../../sandbox/pulumi/engine/engine.ts'

const folder = fileURLToPath(new URL('../../docs/programs/record/', import.meta.url))

it('another program declares records and their token with plain arguments', async () => {
  // Without it, an update would send the address that the state has.
  expect(parse(readFileSync(`${folder}Pulumi.yaml`, 'utf8')).options).toEqual({ refresh: 'always' })

  const { graph, outputs, log, succeeded } = await runProgram({
    program: `${folder}index.ts`,
    project: 'home',
    config: { 'home:zone': '0123456789abcdef0123456789abcdef' },
    secrets: { 'home:mintingToken': 'minting_0123456789abcdefghijklmnopqrstuvwxyz' },
  })
  expect(log).toEqual([])
  expect(succeeded).toBe(true)
  const named = graph.resources.filter(({ type }) => type === types.record).map(({ name }) => name)
  expect(named).toEqual(['home-record', 'home-record-home.example.com-aaaa'])
  expect(Object.keys(Object(outputs.value['recordIds']))).toEqual([
    'home.example.com A',
    'home.example.com AAAA',
  ])
  expect(outputs.secretPaths).toEqual(['token'])
})
