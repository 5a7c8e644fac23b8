import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Stack, Stage } from '../support/engine/stack.ts'

/** A token that may create tokens and do what a deployment does, and a way to end it. */
interface Powerful {
  readonly value: string
  end(): Promise<void>
}

let stage: Stage
let stack: Stack
let minting: Powerful
let deploying: Powerful
beforeAll(async () => {
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack('dev', { signIn: 'none' })
  minting = await createToken('minting')
  deploying = await createToken('deploying')
  await stack.configureSecrets({ mintingApiToken: minting.value, 'cloudflare:apiToken': deploying.value })
  await stack.configure({ 'github:token': undefined })
  await stack.up()
})
afterAll(() => stage.close())

async function createToken(name: string): Promise<Powerful> {
  const { services } = stage
  const { accountId, zoneId } = services.at
  const tokens = `/accounts/${accountId}/tokens`
  const groups = await services.api<{ id: string; name: string; scopes: string[] }[]>(
    'GET',
    `${tokens}/permission_groups`,
  )
  const allow = (resource: string, scope: string, names: readonly string[]) => ({
    effect: 'allow',
    permission_groups: groups.filter(one => names.includes(one.name)).map(({ id }) => ({ id })),
    resources: { [`com.cloudflare.api.account.${scope}${resource}`]: '*' },
  })
  const policies = [allow(zoneId, 'zone.', ['DNS Write']), allow(accountId, '', ['Account API Tokens Write'])]
  const { id, value } = await services.api<{ id: string; value: string }>('POST', tokens, { name, policies })
  return { value, end: () => services.api('DELETE', `${tokens}/${id}`) }
}

const up = ['up', '--run-program', '--yes']

/** Expects commands to work as if nothing had happened, and to write nothing. */
async function works(...commands: readonly string[][]): Promise<void> {
  await stage.services.forget()
  for (const args of commands) {
    const { status, output } = await stack.run(args)
    expect(status, output).toBe(0)
  }
  expect(await stage.services.writes()).toEqual([])
}
it('a new minting token works at once, although the state has one that has ended', async () => {
  const next = await createToken('next')
  await minting.end()
  const { output } = await stack.run(up)
  expect(output).toContain('could not be read with mintingApiToken')
  expect(output).not.toMatch(/^\s+at /m)
  await stack.configureSecrets({ mintingApiToken: next.value })
  await works(up)
  await next.end()
  await stack.configureSecrets({ mintingApiToken: stage.services.at.adminToken })
  await works(['refresh', '--run-program', '--yes'], ['destroy', '--preview-only', '--exclude-protected'])
})

it('so does a new cloudflare:apiToken', async () => {
  const next = await createToken('other')
  await deploying.end()
  await stack.configureSecrets({ 'cloudflare:apiToken': next.value })
  await works(up)
})

it('a GITHUB_TOKEN that may nothing is refused, and is not kept', async () => {
  const { status, output } = await stack.run([...up, '--skip-preview'], { GITHUB_TOKEN: 'ended' })
  expect(status).not.toBe(0)
  expect(output).toContain('401 Bad credentials')
  await works(up)
})
