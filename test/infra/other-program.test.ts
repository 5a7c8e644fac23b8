import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { types } from '../../infra/resource-names.ts'
import { runProgram } from '../../sandbox/pulumi/engine/engine.ts'
import { root } from '../../tools/bundle.ts'

const folder = fileURLToPath(new URL('../../docs/programs/record/', import.meta.url))

it.each([root, folder])('an update in %s refreshes the state first, whose address it would send', place => {
  const project = parse(readFileSync(`${place}/Pulumi.yaml`, 'utf8'))
  expect(project.options).toEqual({ refresh: 'always' })
  // With a schema, the CLI would stop at the first missing key.
  expect(project).not.toHaveProperty('config')
})

it('another program declares records and their token with plain arguments', async () => {
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
