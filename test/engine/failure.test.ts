import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Stack, Stage } from './support/stack.ts'

let stage: Stage
let stack: Stack
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
})
afterAll(() => stage.close())

test('a wrong configuration stops before anything is made, and every wrong key is named', async () => {
  await stack.configure({ hostname: undefined, tokenExpiresOn: '2020-01-01T00:00:00Z' })
  await stage.services.forget()
  const { status, output } = await stack.tryUp()
  expect(status).not.toBe(0)
  expect(output).toContain('homeport:hostname')
  expect(output).toContain('homeport:tokenExpiresOn')
  expect(await stage.services.writes()).toEqual([])
  await stack.configure({ hostname: 'dyn.example.com', tokenExpiresOn: undefined })
})

test('services that fail half-way are met again by the next up, and nothing is there twice', async () => {
  const { services } = stage
  await services.failDns(
    // Asked again within the run.
    {
      match: { method: 'POST', path: '/dns_records$' },
      times: 3,
      answer: { kind: 'errors', status: 500, errors: [{ code: 1000, message: 'Internal error' }] },
    },
    // Not asked again: nobody knows what became of it.
    { match: { method: 'POST', path: '/d1/database$' }, answer: { kind: 'stall', at: 'before-headers' } },
  )
  // What one part of the directory knows and another does not yet.
  services.entra.setFaults([
    {
      on: 'applications',
      kind: 'status',
      method: 'POST',
      pathEnd: '/servicePrincipals',
      status: 409,
      error: 'Conflict',
    },
  ])
  const failed = await stack.tryUp()
  expect(failed.status).not.toBe(0)
  expect(failed.output).toMatch(/no answer/)
  expect(failed.output).toContain('409')

  await stack.up()
  expect(services.registration().passwords).toHaveLength(2)
  expect(services.entra.applications.principals.size).toBe(1)
  expect(await services.tokens()).toHaveLength(1)
  expect(await services.api(`GET`, `/accounts/${services.at.accountId}/d1/database`)).toHaveLength(1)

  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])
})
