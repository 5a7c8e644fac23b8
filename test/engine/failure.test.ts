import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hostname, type Stack, Stage } from '../support/engine/stack.ts'

const changesPlanned = 7

let stage: Stage
let stack: Stack
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
})
afterAll(() => stage.close())

it('a first up that fails half way leaves a record and a token that drift and --check know', async () => {
  const { services } = stage
  const refused = {
    kind: 'errors',
    status: 403,
    errors: [{ code: 10000, message: 'Authentication error' }],
  } as const
  await services.setFaults({ match: { method: 'POST', path: '/d1/database$' }, times: null, answer: refused })
  expect((await stack.tryUp()).output).toContain('Authentication error')
  const [record, [token]] = [await services.record(hostname), await services.tokens()]
  expect([record?.id, token?.id]).toEqual([expect.any(String), expect.any(String)])

  const advice = /importRecordId|Delete it|delete it|which the state does not know|that no stack knows/
  const red = await stack.drift()
  expect(red.status, red.output).toBe(1)
  expect(red.output).not.toMatch(advice)
  const checked = await stage.check(['--stack', stack.name])
  expect(checked.output).toContain(`${hostname} has one A record, which the stack knows.`)
  expect(checked.output).toContain('The stack has been deployed in part.')
  expect(checked.output).not.toMatch(advice)

  // The fix in docs/stack.md: fix what up names, and run it again.
  await services.setFaults()
  await stack.up()
  expect(await services.record(hostname)).toMatchObject({ id: record?.id })
  expect((await services.tokens()).map(({ id }) => id)).toEqual([token?.id])
  const green = await stack.drift()
  expect(green.output).toContain('No drift: stack dev is as the last run left it.')
  await stack.must(['state', 'unprotect', '--all', '--yes'])
  await stack.must(['destroy', '--yes', '--skip-preview'])
})

it('the next up continues after services failed halfway, and creates nothing twice', async () => {
  const { services } = stage
  await services.setFaults(
    // Retried within the run.
    {
      match: { method: 'POST', path: '/dns_records$' },
      times: 3,
      answer: { kind: 'errors', status: 500, errors: [{ code: 1000, message: 'Internal error' }] },
    },
    // Not retried: the outcome is unknown.
    { match: { method: 'POST', path: '/d1/database$' }, answer: { kind: 'stall' } },
    // One part of the directory does not see a new object yet.
    {
      match: { service: 'graph', method: 'POST', path: '/servicePrincipals$' },
      answer: { kind: 'errors', status: 409, errors: [{ code: 'Conflict' }] },
    },
  )
  // Otherwise the first failure would keep the other one from being tried.
  const failed = await stack.tryUp('--continue-on-error')
  expect(failed.status).not.toBe(0)
  expect(failed.output).toMatch(/no answer/)
  expect(failed.output).toContain('409')

  await stack.up()
  expect(services.registration().passwords).toHaveLength(2)
  expect(services.state.entra.servicePrincipals).toHaveLength(1)
  expect(await services.tokens()).toHaveLength(1)
  expect(await services.api(`GET`, `/accounts/${services.at.accountId}/d1/database`)).toHaveLength(1)

  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])
})

it('a killed run leaves a lock that stops no preview; after pulumi cancel the next up continues', async () => {
  const { services } = stage
  await services.setFaults({
    match: { method: 'PUT', path: '/workers/scripts/' },
    answer: { kind: 'stall' },
  })
  await stack.configure({ redirectPath: '/auth/after-crash' })
  let pid = 0
  const killed = stage.pulumi(['up', '--yes', '--skip-preview', '--stack', stack.name], {}, started => {
    pid = started
  })
  const isAtWork = async () => (await services.writes()).some(write => write.includes('/workers/scripts/'))
  await services.forget()
  await expect.poll(isAtWork, { timeout: 60_000, interval: 100 }).toBe(true)
  process.kill(pid, 'SIGKILL')
  expect((await killed).status).toBeNull()

  const locked = await stack.tryUp()
  expect(locked.status).not.toBe(0)
  expect(locked.output).toContain('locked')
  // A preview takes no lock, so a deployment does not stop the nightly run.
  const looked = await stack.run(['preview', '--expect-no-changes'])
  expect(looked.output).not.toContain('locked')
  expect(looked.status).toBe(changesPlanned)
  await stack.must(['cancel', '--yes'])
  await stack.up()
  await services.forget()
  await stack.up()
  expect(await services.writes()).toEqual([])
  expect(services.registration().web.redirectUris).toEqual([expect.stringMatching(/\/auth\/after-crash$/)])
})
