import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

let stage: Stage
let stack: Stack
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
  await stack.up()
})
afterAll(() => stage.close())

test('destroy stops at the protected record before it deletes anything', async () => {
  await stage.services.forget()
  const { status, output } = await stack.run(['destroy', '--yes'])
  expect(status).not.toBe(0)
  expect(output).toMatch(/protect/)
  expect(await stage.services.writes()).toEqual([])
})

test('destroy --exclude-protected leaves only the record', async () => {
  const { services } = stage
  await stack.must(['destroy', '--yes', '--skip-preview', '--exclude-protected'])
  expect(await services.record(hostname)).toMatchObject({ content: '192.0.2.1' })
  expect(await services.tokens()).toEqual([])
  const { entra, github } = services.state
  expect(entra.applications).toEqual([])
  expect(entra.servicePrincipals).toEqual([])
  expect(github.environments['dns']).toEqual({ secrets: {}, variables: {} })
  const scripts = `/accounts/${services.at.accountId}/workers/scripts`
  expect(await services.api<unknown[]>('GET', scripts)).toEqual([])
  const databases = `/accounts/${services.at.accountId}/d1/database`
  expect(await services.api<unknown[]>('GET', databases)).toEqual([])
})
