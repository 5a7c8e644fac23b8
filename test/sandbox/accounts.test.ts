import { expect, it } from 'vitest'
import { runSandbox } from './running.ts'
import { sdkClient } from './sdk-client.ts'

const sandbox = runSandbox()
const client = () => sdkClient(sandbox)

it('the SDK reads the user, the account and its membership', async () => {
  const { accountId } = sandbox.at.cloudflare
  expect(await client().user.get()).toMatchObject({ id: expect.any(String), email: 'admin@example.com' })
  const account = { id: accountId, name: 'Sandbox', type: 'standard' }
  expect(await client().accounts.get({ account_id: accountId })).toMatchObject(account)
  expect((await client().accounts.list()).result).toMatchObject([account])
  expect((await client().accounts.list({ name: 'another' })).result).toEqual([])
  expect((await client().memberships.list()).result).toMatchObject([{ status: 'accepted', account }])
})

it('a zone has no page rules', async () => {
  const { zoneId } = sandbox.at.cloudflare
  const { status, body } = await sandbox.api('GET', `/zones/${zoneId}/pagerules`)
  expect([status, body.success, body.result]).toEqual([200, true, []])
})

it('a token for DNS lists no account and cannot read the user', async () => {
  const token = sandbox.at.cloudflare.dnsToken
  expect((await sandbox.api('GET', '/accounts', { token })).body.result).toEqual([])
  for (const path of ['/user', '/memberships']) {
    expect(await sandbox.api('GET', path, { token })).toMatchObject({
      status: 403,
      body: { errors: [{ code: 9109 }] },
    })
  }
})

it('an account token cannot list accounts', async () => {
  const { accountId } = sandbox.at.cloudflare
  const { body } = await sandbox.api<{ value: string }>('POST', `/accounts/${accountId}/tokens`, {
    body: {
      name: 'reader',
      policies: [
        {
          effect: 'allow',
          permission_groups: [{ id: 'c1fde68c7bcc44588cbb6ddbc16d6480' }],
          resources: { [`com.cloudflare.api.account.${accountId}`]: '*' },
        },
      ],
    },
  })
  const token = body.result.value
  expect((await sandbox.api('GET', `/accounts/${accountId}`, { token })).status).toBe(200)
  expect(await sandbox.api('GET', '/accounts', { token })).toMatchObject({
    status: 400,
    body: { errors: [{ code: 1001 }] },
  })
})
