import { beforeAll, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'

/** Starts a sandbox with a seed and returns its ids, credentials and users, and the id of the first new record. */
async function startedWith(seed: number) {
  const sandbox = await startSandbox({ seed, entra: { redirectUris: [] } })
  const { cloudflare, entra } = sandbox.description
  const { accountId, zoneId, adminToken, dnsToken } = cloudflare
  const response = await fetch(`${cloudflare.apiUrl}/zones/${zoneId}/dns_records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'A', name: 'new', content: '192.0.2.1', ttl: 120 }),
  })
  const { result } = (await response.json()) as { result: { id: string } }
  await sandbox.close()
  const { tenantId, clientId, clientSecret, users } = entra
  const cloudflareIds = { accountId, zoneId, adminToken, dnsToken, recordId: result.id }
  return { identifiers: { ...cloudflareIds, tenantId, clientId, clientSecret }, users }
}

let five: Awaited<ReturnType<typeof startedWith>>
beforeAll(async () => {
  five = await startedWith(5)
})

it('the same seed gives the same ids, credentials and users, another seed different ids and credentials', async () => {
  expect(await startedWith(5)).toEqual(five)
  const { identifiers } = await startedWith(6)
  for (const [name, value] of Object.entries(five.identifiers))
    expect(Object(identifiers)[name], name).not.toBe(value)
})

it('ids and credentials have the format of the real ones', () => {
  const { accountId, zoneId, recordId, adminToken, dnsToken, tenantId, clientSecret } = five.identifiers
  for (const id of [accountId, zoneId, recordId]) expect(id).toMatch(/^[0-9a-f]{32}$/)
  for (const token of [adminToken, dnsToken])
    expect(token).toMatch(/^cfut_sandbox[A-Za-z0-9]{33}[0-9a-f]{8}$/)
  expect(tenantId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  for (const character of '~+/=') expect(clientSecret).toContain(character)
})
