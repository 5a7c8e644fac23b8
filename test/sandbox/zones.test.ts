import { beforeAll, describe, expect, it } from 'vitest'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()

interface Served {
  id: string
  name: string
  status: string
  [more: string]: unknown
}

beforeAll(async () => {
  const { zones } = (await sandbox.control('GET', '/state')).body as { zones: object[] }
  await sandbox.control('PUT', '/state', {
    zones: [
      ...zones,
      { name: 'xn--bcher-kva.example', status: 'pending' },
      { name: 'new.example', status: 'initializing' },
      { name: 'left.example', status: 'moved', nameServers: ['a.example', 'b.example'] },
    ],
  })
})

const found = async (query: string) =>
  (await sandbox.api<Served[]>('GET', `/zones?${query}`)).body.result.map(({ name }) => name)

describe('zones', () => {
  it.each([
    ['', ['example.com', 'other.example', 'bücher.example', 'new.example', 'left.example']],
    ['name=example.com', ['example.com']],
    ['name=EXAMPLE.com', ['example.com']],
    ['name=example.com.', ['example.com']],
    [`name=${encodeURIComponent('bücher.example')}`, ['bücher.example']],
    ['name=xn--bcher-kva.example', ['bücher.example']],
    ['name=contains:other', []],
    ['status=pending', ['bücher.example']],
    ['status=initializing', ['new.example']],
    ['status=moved', ['left.example']],
    ['account.id=0', []],
  ])('are listed: %s', async (query, names) => {
    expect(await found(query)).toEqual(names)
  })

  it('have the fields and headers that were recorded', async () => {
    const { apiUrl, dnsToken, zoneId } = sandbox.at.cloudflare
    const response = await fetch(`${apiUrl}/zones/${zoneId}`, {
      headers: { authorization: `Bearer ${dnsToken}` },
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'api-version': '2025-08-27',
      'cf-cache-status': 'DYNAMIC',
      vary: 'accept-encoding',
      'cache-control': 'no-store, no-cache, must-revalidate, post-check=0, pre-check=0',
      expires: 'Sun, 25 Jan 1981 05:00:00 GMT',
      pragma: 'no-cache',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
    const { result } = (await response.json()) as { result: object }
    expect(result).toMatchObject({
      vanity_name_servers: [],
      vanity_name_servers_ips: null,
      tenant: { id: null, name: null },
      tenant_unit: { id: null },
    })
  })

  it('can be read by id, with name servers, status and account', async () => {
    const { accountId } = sandbox.at.cloudflare
    const { body } = await sandbox.api<Served[]>('GET', '/zones?name=left.example')
    const [zone] = body.result
    expect(zone).toMatchObject({
      status: 'moved',
      type: 'full',
      paused: false,
      name_servers: ['a.example', 'b.example'],
      original_name_servers: null,
      account: { id: accountId },
    })
    expect((await sandbox.api('GET', `/zones/${zone?.id}`)).body.result).toEqual(zone)
  })

  it('have at most 50 per page; more is not an error', async () => {
    const { status, body } = await sandbox.api('GET', '/zones?per_page=100')
    expect(status).toBe(200)
    expect(body.result_info).toMatchObject({ per_page: 50, count: 5 })
    const none = await sandbox.api('GET', '/zones?per_page=0')
    expect(none.body.errors).toEqual([
      { code: 1003, message: 'per_page must be a whole number of at least 1' },
    ])
  })

  it('can be filtered by account id', async () => {
    const { accountId } = sandbox.at.cloudflare
    expect(await found(`account.id=${accountId}&per_page=1`)).toEqual(['example.com'])
  })
})
