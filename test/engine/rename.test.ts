import { beforeAll, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { policies, publicOrigin, Stack } from '../support/engine/stack.ts'

const { stage, stack } = await deployed()
const renamed = new Stack(stage, 'prod')
let before: { readonly [output: string]: string }

async function outputsOf(stack: Stack): Promise<Record<string, string>> {
  const names = ['databaseId', 'dnsToken', 'dnsTokenId', 'recordId']
  return Object.fromEntries(
    await Promise.all(names.map(async name => [name, await stack.output(name)] as const)),
  )
}

beforeAll(async () => {
  await stack.employees('migrate')
  await stack.employees('add', 'alice')
  before = await outputsOf(stack)
  await stack.must(['stack', 'rename', 'prod'])
})

it('after a rename, up changes the name of the token and nothing else', async () => {
  await stage.services.forget()
  await renamed.up(...policies)
  expect(await stage.services.writes()).toEqual(['PUT /tokens/*'])
  expect(await outputsOf(renamed)).toEqual(before)
})

it('the employees are still there, and sign in', async () => {
  expect(await renamed.employees('list')).toContain('alice')
  expect(await stage.services.signIn(publicOrigin, 'alice@example.com')).toMatchObject({
    user: { username: 'alice' },
  })
})

it('drift finds the Worker by the name that it kept', async () => {
  const { output, status } = await renamed.drift()
  expect(output).toContain('No drift: stack prod is as the last run left it.')
  expect(status).toBe(0)
})

it('a later change updates the same Worker, and a rotation has no gap', async () => {
  const { services } = stage
  await services.forget()
  await renamed.configure({ redirectPath: '/auth/back', tokenRotation: 'second' })
  await renamed.up(...policies)
  expect(await services.writes()).toContain('PUT /workers/scripts/homeport-dev')
  expect(services.registration().web.redirectUris).toEqual([`${publicOrigin}/auth/back`])
  const { parameters } = await services.beginSignIn(publicOrigin)
  expect(parameters.get('redirect_uri')).toBe(`${publicOrigin}/auth/back`)
  expect((await services.tokens()).map(({ name }) => name)).toEqual(['homeport-prod'])
  expect(await services.signIn(publicOrigin, 'alice@example.com')).toMatchObject({
    user: { username: 'alice' },
  })
})

it('a new stack with the old name takes over neither database nor Worker', async () => {
  const { services } = stage
  const other = await stage.stack('dev', {
    hostname: 'other.example.com',
    publicOrigin: 'https://other-people.example.com',
  })
  await services.forget()
  const { status, output } = await other.tryUp()
  expect(status).not.toBe(0)
  expect(output).toContain('7502')
  expect((await services.writes()).filter(write => write.includes('/workers/'))).toEqual([])
})
