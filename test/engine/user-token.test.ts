import { expect, it } from 'vitest'
import { deployed } from '../support/engine/deployed.ts'

const dnsWrite = '4755a26eedb94da69e1066d98aa820be'

// Not set: the default is a user-owned token.
const { stage, stack } = await deployed({ tokenOwner: undefined })

/** Returns the user's tokens with the stack's name. There are others, such as the minting token. */
const made = async () =>
  (await stage.services.userTokens()).filter(
    ({ name, status }) => name === stack.serviceName && status === 'active',
  )
const handedOver = () => stage.services.handedOverToken()
async function isWrittenBy(token: string) {
  const { zoneId } = stage.services.at
  const body = { type: 'TXT', name: 'probe.example.com', content: '"probe"', ttl: 120 }
  const { id } = await stage.services.api<{ id: string }>('POST', `/zones/${zoneId}/dns_records`, body, token)
  await stage.services.api('DELETE', `/zones/${zoneId}/dns_records/${id}`, undefined, token)
}

it('a user-owned token for this zone only is created and handed over, and no account-owned one', async () => {
  const { services } = stage
  const [token, ...others] = await made()
  expect(others).toEqual([])
  expect(await services.tokens()).toEqual([])
  expect(token?.policies).toMatchObject([
    {
      effect: 'allow',
      permission_groups: [{ id: dnsWrite }],
      resources: { [`com.cloudflare.api.account.zone.${services.at.zoneId}`]: '*' },
    },
  ])
  const value = await stack.output('dnsToken')
  expect(handedOver()).toBe(value)
  await isWrittenBy(value)
  await expect(services.api('GET', '/user/tokens', undefined, value)).rejects.toThrow()
})

it('a second run writes nothing, and its preview plans nothing', async () => {
  await stage.services.forget()
  await stack.up()
  expect(await stage.services.writes()).toEqual([])
  expect((await stack.run(['preview', '--expect-no-changes'])).status).toBe(0)
})

it('rotation creates and hands over the new token before it deletes the old one', async () => {
  const [before] = await made()
  await stage.services.forget()
  await stack.configure({ tokenRotation: 'second' })
  await stack.up()
  const writes = await stage.services.writes()
  expect(writes.filter(write => write.includes('/user/tokens'))).toEqual([
    'POST /user/tokens',
    'DELETE /user/tokens/*',
  ])
  const [after, ...others] = await made()
  expect(others).toEqual([])
  expect(after?.id).not.toBe(before?.id)
  expect(handedOver()).toBe(await stack.output('dnsToken'))
  await isWrittenBy(await stack.output('dnsToken'))
})

it('a revoked token is replaced and handed over', async () => {
  const [revoked] = await made()
  await stage.services.api('DELETE', `/user/tokens/${revoked?.id}`)
  await stack.up()
  const [after, ...others] = await made()
  expect(others).toEqual([])
  expect(after?.id).not.toBe(revoked?.id)
  expect(handedOver()).toBe(await stack.output('dnsToken'))
})
