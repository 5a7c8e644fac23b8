import { expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'

/** Starts a sandbox with a seed and returns its ids and tokens, and the id of the first new record. */
async function identifiers(seed: number) {
  const sandbox = await startSandbox({ seed })
  const { apiUrl, ...cloudflare } = sandbox.description.cloudflare
  const response = await fetch(`${apiUrl}/zones/${cloudflare.zoneId}/dns_records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cloudflare.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'A', name: 'new', content: '192.0.2.1', ttl: 120 }),
  })
  const { result } = (await response.json()) as { result: { id: string } }
  await sandbox.close()
  const { accountId, zoneId, adminToken, dnsToken } = cloudflare
  return { accountId, zoneId, adminToken, dnsToken, recordId: result.id }
}

test('the same seed gives the same ids and tokens, another seed different ones', async () => {
  const one = await identifiers(5)
  expect(await identifiers(5)).toEqual(one)
  const other = await identifiers(6)
  for (const [name, value] of Object.entries(one)) expect(Object(other)[name]).not.toBe(value)
})

test('ids and tokens have the format of the real ones', async () => {
  const { accountId, zoneId, recordId, adminToken, dnsToken } = await identifiers(1)
  for (const id of [accountId, zoneId, recordId]) expect(id).toMatch(/^[0-9a-f]{32}$/)
  for (const token of [adminToken, dnsToken]) expect(token).toMatch(/^cfut_[A-Za-z0-9]{40}[0-9a-f]{8}$/)
})
