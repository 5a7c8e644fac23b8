import { expect, it } from 'vitest'
import { daysAgo } from '../support/configuration.ts'
import { deployed } from '../support/engine/deployed.ts'
import { publicOrigin } from '../support/engine/stack.ts'

const hourMs = 3600 * 1000
const hoursAhead = (hours: number) => `${new Date(Date.now() + hours * hourMs).toISOString().slice(0, 19)}Z`

const { stage, stack } = await deployed()
const handedOver = () => stage.services.handedOverToken()

/** Returns the secrets of the registration by slot. */
function secrets() {
  const { appId, passwords } = stage.services.registration()
  const bySlot = Object.fromEntries(passwords.map(({ displayName, secretText }) => [displayName, secretText]))
  return { appId, a: bySlot['homeport a'] ?? '', b: bySlot['homeport b'] ?? '', count: passwords.length }
}

const works = async (appId: string, secret: string) => (await stage.services.trySecret(appId, secret)) === 200

it('a rotated token is deleted only after the repository has the new one', async () => {
  const old = await stack.output('dnsToken')
  const [before] = await stage.services.tokens()
  await stack.configure({ tokenRotation: 'second' })
  await stage.services.setFaults({
    match: { service: 'github', method: 'PUT', path: '/CLOUDFLARE_DNS_TOKEN$' },
    answer: { kind: 'errors', status: 403, errors: [{ message: 'Forbidden' }] },
  })

  expect((await stack.tryUp()).status).not.toBe(0)
  expect(await stage.services.tokens()).toHaveLength(2)
  expect(handedOver()).toBe(old)

  await stack.up()
  const left = await stage.services.tokens()
  expect(left).toHaveLength(1)
  expect(left[0]?.id).not.toBe(before?.id)
  expect(handedOver()).toBe(await stack.output('dnsToken'))
  expect(handedOver()).not.toBe(old)
})

it('a token keeps its value when its expiry changes, and is replaced once it has expired', async () => {
  const { services } = stage
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
  await stage.services.setFaults({
    match: { method: 'PUT', path: '/workers/scripts/' },
    answer: { kind: 'errors', status: 403, errors: [{ code: 10000, message: 'Authentication error' }] },
  })
  expect((await stack.tryUp()).status).not.toBe(0)
  const between = secrets()
  expect(between.count).toBe(3)
  expect(await works(before.appId, before.b)).toBe(true)
  expect(await stage.services.redeem(publicOrigin)).toEqual([400])

  await stack.up()
  const after = secrets()
  expect(after.count).toBe(2)
  expect(after.a).toBe(before.a)
  expect(after.b).not.toBe(before.b)
  expect(await works(after.appId, before.b)).toBe(false)
  expect(await stage.services.redeem(publicOrigin)).toEqual([400])
})
