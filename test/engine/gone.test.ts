import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { clocksDifferMs } from '../../infra/resources/handed-over-field.ts'
import { daysAgo } from '../support/configuration.ts'
import { deployed, killUp } from '../support/engine/deployed.ts'
import { environmentName } from '../support/engine/services.ts'
import { type Config, policies } from '../support/engine/stack.ts'
import { createUserToken } from '../support/services.ts'

// No Worker: the record, its token, its hand-over and a registration.
const { stage, stack } = await deployed({ signIn: 'host' })
const { services } = stage
const account = `/accounts/${services.at.accountId}`

type Service = 'cloudflare' | 'graph' | 'github'

/** Returns the stack's DNS tokens with their paths: of the account, and of the user who owns the minting token. */
async function tokens() {
  const ofAccount = await services.tokens()
  const ofUser = await services.userTokens()
  return [
    ...ofAccount.map(({ id }) => ({ id, path: `${account}/tokens/${id}` })),
    ...ofUser
      .filter(({ name }) => name === 'homeport-dev')
      .map(({ id }) => ({ id, path: `/user/tokens/${id}` })),
  ]
}
const deleteToken = async () => {
  const [token] = await tokens()
  await services.api('DELETE', token?.path ?? '')
}
const rotate = (text: string, more: Config = {}) => stack.configure({ tokenRotation: text, ...more })
/** Creates a minting token of the stack's own. Returns a function that ends it. */
async function ownMinting() {
  const all = [`com.cloudflare.api.account.${services.at.accountId}`, 'Account API Tokens Write'] as const
  const zone = [`com.cloudflare.api.account.zone.${services.at.zoneId}`, 'DNS Write'] as const
  const user = ['com.cloudflare.api.user.*', 'API Tokens Write'] as const
  const { id, value } = await createUserToken(services.at, 'minting', [zone, all, user])
  await stack.configureSecrets({ mintingApiToken: value })
  return () => services.api('DELETE', `/user/tokens/${id}`)
}

/** Makes the next request of a kind take effect, and hides its answer. */
const lose = (service: Service, method: string, path: string) =>
  services.sandbox.control.setFaults([
    { match: { service, method, path }, commit: true, answer: { kind: 'reset' } },
  ])
/**
 * Makes GitHub refuse the next token. First waits until the last one that it took is older than clocks can differ by, as it is
 * between two rotations of an operator. Both times are whole seconds.
 */
async function refuseHandOver(): Promise<void> {
  await setTimeout(clocksDifferMs + 1000)
  services.sandbox.control.setFaults([
    {
      match: { service: 'github', method: 'PUT', path: '/CLOUDFLARE_DNS_TOKEN$' },
      answer: { kind: 'errors', status: 401, errors: [{ message: 'Bad credentials' }] },
      times: 1,
    },
  ])
}

/** Expects the documented command to end, and everything to be as declared after it. */
async function ends(): Promise<string> {
  const output = await stack.up()
  expect(await tokens()).toHaveLength(1)
  expect(services.token).toBe(await stack.output('dnsToken'))
  expect((await stack.drift()).output).toContain('No drift')
  return output
}

/** Kills an `up` as soon as a request of a kind has taken effect, before it is answered. */
async function killAt(service: Service, method: string, path: string): Promise<void> {
  services.sandbox.control.setFaults([
    { match: { service, method, path }, commit: true, answer: { kind: 'delay', byMs: 600_000 } },
  ])
  await killUp(stack, () => services.writes().some(one => one.startsWith(method) && one.includes(path)))
  await stack.must(['cancel', '--yes'])
}

const failsOnce = async () => expect((await stack.tryUp()).status).not.toBe(0)

/** What happened before the `up` that ends it. From a row on, the user owns the token instead of the account. */
const rotations: [title: string, arrange: () => Promise<unknown>, said?: string][] = [
  [
    'the old token was deleted by hand',
    async () => {
      await deleteToken()
      await rotate('by hand')
    },
    'no longer exists, so the state forgets it',
  ],
  [
    'it was killed at the deletion, and the token for GitHub ended',
    async () => {
      await rotate('killed at the deletion')
      await killAt('cloudflare', 'DELETE', '/tokens/')
      await stack.configureSecrets({ 'github:token': 'ended' })
      expect((await stack.tryUp()).output).toContain('401')
      await stack.configureSecrets({ 'github:token': services.sandbox.description.github.token })
    },
  ],
  [
    'it was killed at the hand-over, and the old token was deleted by hand',
    async () => {
      await rotate('killed at the hand-over')
      const [old] = await tokens()
      await killAt('github', 'PUT', '/secrets/')
      await services.api('DELETE', old?.path ?? '')
    },
  ],
  [
    'the old token was deleted by hand, and GitHub refused the new one once',
    async () => {
      await deleteToken()
      await rotate('refused')
      await refuseHandOver()
      await failsOnce()
    },
  ],
  [
    'the old token was deleted by hand, and the minting token of the last run has ended',
    async () => {
      const end = await ownMinting()
      await stack.up()
      await end()
      await deleteToken()
      await rotate('minting token')
      await stack.configureSecrets({ mintingApiToken: services.at.adminToken })
    },
  ],
  [
    'the old token was deleted by hand, and the user owns the new one',
    async () => {
      await deleteToken()
      await rotate("the user's", { tokenOwner: undefined })
    },
  ],
  [
    "the user's token was replaced, and killed at the deletion",
    async () => {
      await rotate("the user's, killed at the deletion")
      await killAt('cloudflare', 'DELETE', '/tokens/')
    },
  ],
  [
    'the minting token ended at the deletion',
    async () => {
      const end = await ownMinting()
      await rotate('ended at the deletion')
      const answer = { kind: 'errors', status: 403, errors: [{ code: 9109 }] } as const
      services.sandbox.control.setFaults([
        { match: { service: 'cloudflare', method: 'DELETE', path: '/tokens/' }, answer },
      ])
      await failsOnce()
      await end()
      expect((await stack.tryUp()).output).toContain('mintingApiToken')
      await stack.configureSecrets({ mintingApiToken: services.at.adminToken })
    },
  ],
]

describe('a rotation ends with one up', () => {
  it.each<(typeof rotations)[number]>(rotations)('after %s', async (_, arrange, said = '') => {
    await arrange()
    expect(await ends()).toContain(said)
  })

  it('and another one writes nothing', async () => {
    services.sandbox.control.clearJournal()
    await stack.up()
    expect(services.writes()).toEqual([])
  })
})

it('a rotation that was killed at the creation ends with one up, and drift has the command that deletes what it left', async () => {
  const old = services.token
  await rotate('killed at the creation')
  await killAt('cloudflare', 'POST', '/tokens')
  expect(await stack.up()).toContain('interrupted while creating')
  expect(services.token).toBe(await stack.output('dnsToken'))
  expect(services.token).not.toBe(old)
  expect(await tokens()).toHaveLength(2)
  const { output } = await stack.drift()
  expect(output).toContain('Then run pulumi refresh --clear-pending-creates, and pulumi up.')
  const [, command = ''] = /, or run: (.*)\. If a stack in another backend/.exec(output) ?? []
  expect(await stage.shell(command)).toContain('"success":true')
  await stack.must(['refresh', '--clear-pending-creates', '--yes'])
  expect(await tokens()).toHaveLength(1)
  await ends()
})

it('a token is deleted after GitHub has the next one, which is written once, and nothing is planned after it', async () => {
  const [before] = await tokens()
  const old = services.token
  await rotate('refused once')
  await refuseHandOver()
  await failsOnce()
  expect(await tokens()).toHaveLength(2)
  expect(services.token).toBe(old)
  services.sandbox.control.clearJournal()
  await stack.up()
  expect(services.writes().filter(write => write.includes('/secrets/'))).toHaveLength(1)
  expect((await tokens()).map(({ id }) => id)).not.toContain(before?.id)
  const preview = await stack.run(['preview', '--expect-no-changes'])
  expect(preview.status, preview.output).toBe(0)
})

it('a client secret that is gone before its deletion is found by the command that the run and drift say', async () => {
  await stack.configure({ secretRotationB: daysAgo(0) })
  lose('graph', 'POST', '/removePassword$')
  const lost = await stack.tryUp()
  expect(lost.status).not.toBe(0)
  expect(lost.output.replace(/\s+/g, ' ')).not.toContain('Entra no longer has this client secret')
  const command = 'pulumi up --run-program=false'
  expect((await stack.drift()).output).toContain(command)
  const { output } = await stack.tryUp()
  expect(output.replace(/\s+/g, ' ')).toContain(`Entra no longer has this client secret. Run ${command}`)
  await stage.shell(command)
  expect(services.registration().passwords).toHaveLength(2)
  expect((await stack.drift()).output).toContain('No drift')
})

it('the hand-over leaves the stack although nothing of it exists', async () => {
  await stack.configure({ repository: undefined, environment: undefined })
  // GitHub also says so of what the token cannot see.
  const answer = { kind: 'errors', status: 404, errors: [{ message: 'Not Found' }] } as const
  services.sandbox.control.setFaults([{ match: { service: 'github' }, times: null, answer }])
  const { status, output } = await stack.tryUp()
  expect(status).not.toBe(0)
  expect(output.replace(/\s+/g, ' ')).toContain('give the token access to it')
  expect(output).not.toContain('so the state forgets it')
  services.sandbox.control.setFaults([])
  services.sandbox.control.setState({ github: { environments: { [environmentName]: {} } } })
  await stack.up(...policies)
  expect((await stack.drift()).output).toContain('No drift')
  services.sandbox.control.clearJournal()
  await stack.up(...policies)
  expect(services.writes()).toEqual([])
})

it('the registration leaves the stack although its client secrets are gone', async () => {
  const { id, passwords } = services.registration()
  for (const { keyId } of passwords)
    await services.graph('POST', `/applications/${id}/removePassword`, { keyId })
  await stack.configure({ signIn: 'none' })
  await stack.up()
  expect(services.state.entra.applications.filter(({ owners }) => owners.length > 0)).toEqual([])
  expect((await stack.drift()).output).toContain('No drift')
})
