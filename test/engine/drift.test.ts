import { describe, expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'
import { publicOrigin } from '../support/engine/stack.ts'

const changesPlanned = 7
const hourMs = 3600 * 1000
const hoursAhead = (hours: number) => `${new Date(Date.now() + hours * hourMs).toISOString().slice(0, 19)}Z`

const { stage, stack } = await deployed()

const worker = 'PUT /workers/scripts/homeport-dev'
const handedOver = () => stage.services.handedOverToken()

it('the redirect URI changes in the registration and the Worker together, and nothing else changes', async () => {
  await stage.services.forget()
  await stack.configure({ redirectPath: '/auth/back' })
  await stack.up()
  expect((await stage.services.writes()).sort()).toEqual(['PATCH /applications/*', worker])
  expect(stage.services.registration().web.redirectUris).toEqual([`${publicOrigin}/auth/back`])
  const { parameters } = await stage.services.beginSignIn(publicOrigin)
  expect(parameters.get('redirect_uri')).toBe(`${publicOrigin}/auth/back`)
})

describe('a token', () => {
  it('that was revoked is replaced and handed over', async () => {
    const { services } = stage
    const [token] = await services.tokens()
    await services.api('DELETE', `/accounts/${services.at.accountId}/tokens/${token?.id}`)
    await stack.up()
    const made = await services.tokens()
    expect(made).toHaveLength(1)
    expect(made[0]?.id).not.toBe(token?.id)
    expect(handedOver()).toBe(await stack.output('dnsToken'))
  })

  it('that somebody disabled is enabled again, with the same value', async () => {
    const { services } = stage
    const [token] = await services.tokens()
    const value = await stack.output('dnsToken')
    const path = `/accounts/${services.at.accountId}/tokens/${token?.id}`
    await services.api('PUT', path, { name: token?.name, policies: token?.policies, status: 'disabled' })
    expect((await stack.run(['preview', '--expect-no-changes'])).status).toBe(changesPlanned)
    await stack.up()
    expect(await services.tokens()).toMatchObject([{ id: token?.id, status: 'active' }])
    expect(await stack.output('dnsToken')).toBe(value)
  })

  it('keeps its value when its expiry changes, and is replaced once it has expired', async () => {
    const { services } = stage
    const value = await stack.output('dnsToken')
    await stack.configure({ tokenExpiresOn: hoursAhead(1) })
    await stack.up()
    expect(await stack.output('dnsToken')).toBe(value)
    const [expiring] = await services.tokens()

    await services.control('PUT', '/clock', { advanceMs: 2 * hourMs })
    expect((await services.tokens())[0]?.status).toBe('expired')
    await stack.configure({ tokenExpiresOn: hoursAhead(100) })
    await stack.up()
    const active = (await services.tokens()).filter(({ status }) => status === 'active')
    expect(active.map(({ id }) => id)).not.toContain(expiring?.id)
    expect(active).toHaveLength(1)
    expect(await stack.output('dnsToken')).not.toBe(value)
    expect(handedOver()).toBe(await stack.output('dnsToken'))
  })
})

it('a client secret that somebody removed is replaced and bound to the Worker', async () => {
  const [removed, ...passwords] = stage.services.registration().passwords
  stage.services.changeRegistration({ passwords })
  await stage.services.forget()
  await stack.up()
  expect(await stage.services.writes()).toEqual([worker, 'POST /applications/*/addPassword'])
  const names = stage.services.registration().passwords.map(({ displayName }) => displayName)
  expect(names).toContain(removed?.displayName)
  expect(await stage.services.redeem(publicOrigin)).toEqual([400])
})
