import { permissionGroups } from '../../cloudflare/tokens/permission-groups.ts'
import type { Running } from '../running.ts'

const someId = '0'.repeat(32)
const groups = (permission: keyof typeof permissionGroups) => [{ id: permissionGroups[permission].id }]

/** Sends every kind of credential and calls every operation on tokens. */
export async function tour({ api, control, at, records }: Running): Promise<void> {
  const { zoneId, accountId, dnsToken } = at.cloudflare
  const scoped = { token: dnsToken }
  const accounts = `/accounts/${accountId}/tokens`

  for (const path of ['/zones', '/user/tokens/verify']) await api('GET', path, { token: null })
  await api('GET', '/zones', { headers: { 'x-auth-key': 'key' } })
  for (const path of ['/zones', accounts]) await api('GET', path, { token: 'short' })
  for (const path of ['/zones', '/user/tokens', '/user/tokens/verify', accounts]) {
    await api('GET', path, { token: 'a'.repeat(40) })
  }
  await api('GET', `/zones/${someId}/dns_records`, scoped)
  for (const path of [`/zones/${someId}`, accounts, '/user/tokens', '/user/tokens/verify']) {
    await api('GET', path, scoped)
  }

  const onZone = { [`com.cloudflare.api.account.zone.${zoneId}`]: '*' }
  const draft = {
    name: 'tour',
    policies: [{ effect: 'allow', permission_groups: groups('dnsWrite'), resources: onZone }],
  }
  async function create(base: string, fields: object, token?: string) {
    const call = { body: { ...draft, ...fields }, ...(token && { token }) }
    return (await api<{ id: string; value: string } | null>('POST', base, call)).body.result
  }
  const deny = await create('/user/tokens', { policies: [{ ...draft.policies[0], effect: 'deny' }] })
  await api('GET', records, { token: deny?.value ?? '' })
  const elsewhere = await create('/user/tokens', { condition: { request_ip: { in: ['192.0.2.1'] } } })
  await api('GET', records, { token: elsewhere?.value ?? '' })
  const disabled = await create('/user/tokens', {})
  const item = `/user/tokens/${disabled?.id}`
  await api('PUT', item, { body: { ...draft, status: 'disabled' } })
  await api('GET', '/zones', { token: disabled?.value ?? '' })

  await api('GET', '/user/tokens?include_expired=true&direction=desc')
  await api('GET', item)
  await api('PUT', `${item}/value`, { body: {} })
  await api('DELETE', item)
  await api('GET', item)
  await api('GET', '/user/tokens/permission_groups?name=DNS+Write')
  await create('/user/tokens', { name: '' })
  await create('/user/tokens', { policies: [{ ...draft.policies[0], id: someId }] })

  const mint = {
    effect: 'allow',
    permission_groups: groups('accountTokensWrite'),
    resources: { [`com.cloudflare.api.account.${accountId}`]: '*' },
  }
  const minting = await create(accounts, { policies: [mint] })
  await create(accounts, {}, minting?.value)
  await api('GET', '/accounts', { token: minting?.value ?? '' })
  await api('GET', '/user/tokens/verify', { token: minting?.value ?? '' })
  for (let made = 0; made < 50; made += 1) await create('/user/tokens', {})
  await control('PUT', '/state', {})
}
