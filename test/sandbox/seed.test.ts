import { expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox.ts'

/** What a sandbox of this seed gives away: its own identifiers and that of the first record somebody creates. */
const identifiers = async (seed: number) => {
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

test('the same seed gives the same identifiers and tokens, another seed others', async () => {
  const one = await identifiers(5)
  expect(await identifiers(5)).toEqual(one)
  const other = await identifiers(6)
  for (const [name, value] of Object.entries(one)) expect(Object(other)[name]).not.toBe(value)
})

test('identifiers and tokens have the form of the real ones', async () => {
  const { accountId, zoneId, recordId, adminToken, dnsToken } = await identifiers(1)
  for (const id of [accountId, zoneId, recordId]) expect(id).toMatch(/^[0-9a-f]{32}$/)
  for (const token of [adminToken, dnsToken]) expect(token).toMatch(/^cfut_[A-Za-z0-9]{40}[0-9a-f]{8}$/)
})
