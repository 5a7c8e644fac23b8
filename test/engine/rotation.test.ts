import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { root } from '../../tools/bundle.ts'
import { daysAgo } from '../support/configuration.ts'
import { publicOrigin, type Stack, Stage } from '../support/engine/stack.ts'

const pack = join(root, 'infra/policy')

let stage: Stage
let stack: Stack
beforeEach(async () => {
  if (stage) return
  stage = await Stage.start(inject('pulumi'))
  stack = await stage.stack()
  await stack.up()
})
afterAll(() => stage.close())

const handedOver = () => stage.services.handedOverToken()

/** Returns the secrets of the registration by slot. */
function secrets() {
  const { appId, passwords } = stage.services.registration()
  const bySlot = Object.fromEntries(passwords.map(({ displayName, secretText }) => [displayName, secretText]))
  return { appId, a: bySlot['homeport a'] ?? '', b: bySlot['homeport b'] ?? '', count: passwords.length }
}

const works = async (appId: string, secret: string) => (await stage.services.trySecret(appId, secret)) === 200

describe('the token', () => {
  it('reaches this zone and nothing else', async () => {
    const { services } = stage
    const list = `/zones/${services.at.zoneId}/dns_records`
    await expect(services.api('GET', list, undefined, handedOver())).resolves.toBeInstanceOf(Array)
    await expect(services.api('GET', '/user/tokens', undefined, handedOver())).rejects.toThrow()
  })

  it('is replaced, and the old one is deleted only after the repository has the new one', async () => {
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
})

it('a token is replaced at once by the URN that the stack outputs', async () => {
  const old = handedOver()
  await stack.up('--replace', await stack.output('tokenUrn'))
  expect(await stage.services.tokens()).toHaveLength(1)
  expect(handedOver()).not.toBe(old)
  expect(handedOver()).toBe(await stack.output('dnsToken'))
})

describe('a client secret', () => {
  it('is not replaced together with the other one', async () => {
    await stage.services.forget()
    await stack.configure({ secretRotationA: daysAgo(0), secretRotationB: daysAgo(0) })
    for (const command of [
      ['preview', '--policy-pack', pack],
      ['up', '--yes', '--skip-preview'],
    ]) {
      const { status, output } = await stack.run(command)
      expect(status, output).toBe(1)
      expect(output.replace(/\s+/g, ' ')).toContain(
        `pulumi config set --plaintext secretRotationA ${daysAgo(10)}`,
      )
    }
    expect(await stage.services.writes()).toEqual([])
    await stack.configure({ secretRotationA: daysAgo(10), secretRotationB: daysAgo(60) })
  })

  it('is replaced while the other one keeps working', async () => {
    const before = secrets()
    await stage.services.forget()
    await stack.configure({ secretRotationB: daysAgo(1) })
    await stack.up()

    const after = secrets()
    expect(after.count).toBe(2)
    expect(after.a).toBe(before.a)
    expect(await works(after.appId, after.a)).toBe(true)
    expect(await works(after.appId, after.b)).toBe(true)
    expect(await works(after.appId, before.b)).toBe(false)
    expect(await stage.services.writes()).toEqual([
      `PUT /workers/scripts/${stack.serviceName}`,
      'POST /applications/*/addPassword',
      'POST /applications/*/removePassword',
    ])
    expect(await stage.services.redeem(publicOrigin)).toEqual([400])
  })

  it('that is replaced while the Worker cannot be updated keeps working until the next up', async () => {
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
    expect(after.b).not.toBe(before.b)
    expect(await works(after.appId, before.b)).toBe(false)
    expect(await stage.services.redeem(publicOrigin)).toEqual([400])
  })
})
