import { describe, expect, it } from 'vitest'
import type { DnsRecord } from '../../sandbox/cloudflare/records/record.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const item = (id: string) => `${sandbox.records}/${id}`
const full = {
  type: 'A',
  name: 'full.example.com',
  content: '192.0.2.1',
  ttl: 120,
  proxied: true,
  comment: 'kept by hand',
  tags: ['team:dns', 'home'],
  settings: { ipv4_only: true },
}

describe('a record', () => {
  it('loses every field that a PUT omits, and a PUT without ttl is refused', async () => {
    const { id, created_on } = await sandbox.create(full)
    const { body } = await sandbox.api<DnsRecord>('PUT', item(id), {
      body: { type: 'A', name: full.name, content: '192.0.2.2', ttl: 120 },
    })
    expect(body.result).toMatchObject({
      id,
      content: '192.0.2.2',
      proxied: false,
      comment: null,
      tags: [],
      settings: {},
      created_on,
    })
    expect(body.result.modified_on > created_on).toBe(true)
    expect(await sandbox.named(full.name)).toEqual([body.result])
    const noTtl = { type: 'A', name: full.name, content: '192.0.2.2' }
    const refused = await sandbox.api('PUT', item(id), { body: noTtl })
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ code: 9021 }] } })
  })
})
