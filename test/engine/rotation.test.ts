import { expect, it } from 'vitest'
import { daysAgo } from '../support/configuration.ts'
import { deployed } from '../support/engine/deployed.ts'
import { publicOrigin } from '../support/engine/stack.ts'
import { createUserToken } from '../support/services.ts'

const hourMs = 3600 * 1000
const hoursAhead = (hours: number) => `${new Date(Date.now() + hours * hourMs).toISOString().slice(0, 19)}Z`

const { stage, stack } = await deployed()
const { services } = stage
const handedOver = () => services.token

/** Returns the secrets of the registration by slot. */
function secrets() {
  const { appId, passwords } = services.registration()
  const bySlot = Object.fromEntries(passwords.map(({ displayName, secretText }) => [displayName, secretText]))
  return { appId, a: bySlot['homeport a'] ?? '', b: bySlot['homeport b'] ?? '', count: passwords.length }
}

const isAccepted = async (appId: string, secret: string) => (await services.trySecret(appId, secret)) === 200

it('a token keeps its value when its expiry changes, and is replaced once it has expired', async () => {
  const value = await stack.output('dnsToken')
  await stack.configure({ tokenExpiresOn: hoursAhead(1) })
  await stack.up()
  expect(await stack.output('dnsToken')).toBe(value)
  const [expiring] = await services.tokens()

  services.sandbox.control.setClock({ advanceMs: 2 * hourMs })
  expect((await services.tokens())[0]?.status).toBe('expired')
  await stack.configure({ tokenExpiresOn: hoursAhead(100) })
  await stack.up()
  const active = (await services.tokens()).filter(({ status }) => status === 'active')
  expect(active.map(({ id }) => id)).not.toContain(expiring?.id)
  expect(active).toHaveLength(1)
  expect(await stack.output('dnsToken')).not.toBe(value)
  expect(handedOver()).toBe(await stack.output('dnsToken'))
})

it('a client secret that is replaced while the Worker cannot be updated keeps working until the next up', async () => {
  const before = secrets()
  await stack.configure({ secretRotationB: daysAgo(0) })
  services.sandbox.control.setFaults([
    {
      match: { method: 'PUT', path: '/workers/scripts/' },
      answer: { kind: 'errors', status: 403, errors: [{ code: 10000, message: 'Authentication error' }] },
    },
  ])
  expect((await stack.tryUp()).status).not.toBe(0)
  const between = secrets()
  expect(between.count).toBe(3)
  expect(await isAccepted(before.appId, before.b)).toBe(true)
  expect(await services.redeem(publicOrigin)).toEqual([400])

  await stack.up()
  const after = secrets()
  expect(after.count).toBe(2)
  expect(after.a).toBe(before.a)
  expect(after.b).not.toBe(before.b)
  expect(await isAccepted(after.appId, before.b)).toBe(false)
  expect(await services.redeem(publicOrigin)).toEqual([400])
})

/** A token that may do what a deployment does, and create tokens. */
async function createToken() {
  const { at } = services
  const { id, value } = await createUserToken(at, 'deploying', [
    [`com.cloudflare.api.account.zone.${at.zoneId}`, 'DNS Write', 'Workers Routes Write'],
    [
      `com.cloudflare.api.account.${at.accountId}`,
      ...['Workers Scripts Write', 'D1 Write', 'Account API Tokens Write'],
    ],
  ])
  return { value, end: () => services.api('DELETE', `/user/tokens/${id}`) }
}

const up = ['up', '--yes']

/** Expects commands to work as if nothing had happened, and to write nothing. */
async function works(...commands: readonly string[][]): Promise<void> {
  services.sandbox.control.clearJournal()
  for (const args of commands) await stack.must(args)
  expect(services.writes()).toEqual([])
}

it('a new minting token works at once, although the state has one that has ended', async () => {
  const [first, next] = [await createToken(), await createToken()]
  await stack.configureSecrets({ mintingApiToken: first.value })
  await stack.up()
  await first.end()
  const { output } = await stack.run(up)
  expect(output).toContain('could not be read with mintingApiToken')
  expect(output).not.toMatch(/^\s+at /m)
  await stack.configureSecrets({ mintingApiToken: next.value })
  await works(up)
  await next.end()
  await stack.configureSecrets({ mintingApiToken: services.at.adminToken })
  await works(['refresh', '--yes'], ['destroy', '--preview-only', '--exclude-protected'])
})

it('so does a new cloudflare:apiToken', async () => {
  const [first, next] = [await createToken(), await createToken()]
  await stack.configureSecrets({ 'cloudflare:apiToken': first.value })
  await stack.up()
  await first.end()
  await stack.configureSecrets({ 'cloudflare:apiToken': next.value })
  await works(up)
})

it('a GITHUB_TOKEN that may nothing is refused, and is not kept', async () => {
  await stack.configure({ 'github:token': undefined })
  const { status, output } = await stack.run([...up, '--skip-preview'], { GITHUB_TOKEN: 'ended' })
  expect(status).not.toBe(0)
  expect(output).toContain('401 Bad credentials')
  await works(up)
})
