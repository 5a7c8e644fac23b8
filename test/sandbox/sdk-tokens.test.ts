import { AuthenticationError, NotFoundError, PermissionDeniedError } from 'cloudflare'
import { describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()

const client = (apiToken?: string) => sdkClient(sandbox, apiToken)

async function dnsWrite() {
  const groups = []
  for await (const group of client().user.tokens.permissionGroups.list({ name: 'DNS Write' }))
    groups.push(group)
  return groups[0]?.id ?? ''
}

const draft = async () => ({
  name: 'by the SDK',
  policies: [
    {
      effect: 'allow' as const,
      permission_groups: [{ id: await dnsWrite() }],
      resources: { [`com.cloudflare.api.account.zone.${sandbox.at.cloudflare.zoneId}`]: '*' },
    },
  ],
  condition: { request_ip: { in: ['127.0.0.0/8'] } },
  expires_on: '2999-01-01T00:00:00Z',
})

const zone = () => ({ zone_id: sandbox.at.cloudflare.zoneId })
const account = () => ({ account_id: sandbox.at.cloudflare.accountId })

describe('user tokens, through the official SDK', () => {
  it('can be created, read, listed, updated, rolled, verified and deleted', async () => {
    const { tokens } = client().user
    const created = await tokens.create(await draft())
    const { id = '', value = '' } = created
    expect(created).toMatchObject({
      name: 'by the SDK',
      status: 'active',
      condition: (await draft()).condition,
    })
    const { value: _, ...readable } = created
    expect(await tokens.get(id)).toEqual(readable)

    expect(await client(value).user.tokens.verify()).toMatchObject({ id, status: 'active' })
    expect((await client(value).dns.records.list(zone())).result).not.toEqual([])

    const updated = await tokens.update(id, { ...(await draft()), name: 'renamed' })
    expect(updated).toMatchObject({ id, name: 'renamed' })

    const names = []
    for await (const token of tokens.list({ per_page: 2 })) names.push(token.name)
    expect(names).toEqual(['admin', 'dns', 'renamed'])

    const rolled = await tokens.value.update(id, { body: {} })
    await expect(client(value).dns.records.list(zone()).asResponse()).rejects.toBeInstanceOf(
      PermissionDeniedError,
    )
    expect((await client(rolled).dns.records.list(zone())).result).not.toEqual([])

    expect(await tokens.delete(id)).toEqual({ id })
    await expect(tokens.get(id)).rejects.toBeInstanceOf(NotFoundError)
  })
})

describe('account tokens, through the official SDK', () => {
  it('can be created, read, listed, updated, rolled, verified and deleted', async () => {
    const { tokens } = client().accounts
    const created = await tokens.create({ ...account(), ...(await draft()) })
    const { id = '', value = '' } = created
    const { value: _, ...readable } = created
    expect(await tokens.get(id, account())).toEqual(readable)
    expect(await client(value).accounts.tokens.verify(account())).toMatchObject({ id, status: 'active' })
    await expect(client(value).user.tokens.verify()).rejects.toBeInstanceOf(AuthenticationError)

    expect(await tokens.update(id, { ...account(), ...(await draft()), name: 'renamed' })).toMatchObject({
      name: 'renamed',
    })
    const names = []
    for await (const token of tokens.list({ ...account(), direction: 'desc' })) names.push(token.name)
    expect(names).toEqual(['renamed'])

    const rolled = await tokens.value.update(id, account())
    expect((await client(rolled).dns.records.list(zone())).result).not.toEqual([])
    expect(await tokens.delete(id, account())).toEqual({ id })
    await expect(tokens.get(id, account())).rejects.toBeInstanceOf(NotFoundError)
  })

  it('have the same permission groups, filtered by name and scope', async () => {
    const { permissionGroups } = client().accounts.tokens
    const named = await permissionGroups.get({ ...account(), name: 'DNS Write' })
    expect(named).toMatchObject([{ id: await dnsWrite(), scopes: ['com.cloudflare.api.account.zone'] }])
    const ofZones = []
    const scope = 'com.cloudflare.api.account.zone'
    for await (const { name } of permissionGroups.list({ ...account(), scope })) ofZones.push(name)
    expect(ofZones).toContain('Zone Read')
    expect(ofZones).not.toContain('D1 Write')
  })
})
