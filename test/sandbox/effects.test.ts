import { promises as dns } from 'node:dns'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../sandbox/http/faults.ts'
import { runSandbox } from './running.ts'

const sandbox = runSandbox()
const name = 'watched.example.com'

const contents = async () => (await sandbox.named(name)).map(({ type, content }) => `${type} ${content}`)
const item = (id: string) => `${sandbox.records}/${id}`
const advance = (ms: number) => sandbox.control('PUT', '/clock', { advanceMs: ms })

let id: string
beforeEach(async () => {
  const { zoneId } = sandbox.at.cloudflare
  await sandbox.control('PUT', '/state', { records: { [zoneId]: [] } })
  id = (await sandbox.create({ type: 'A', name, content: '192.0.2.1' })).id
  await sandbox.control('DELETE', '/journal')
})
afterEach(() => sandbox.setFaults())

const put = (content: string) =>
  sandbox.api('PUT', item(id), { body: { type: 'A', name, content, ttl: 120 } })

describe('between a listing and a write', () => {
  const afterList = (effect: Fault['effect']): Fault => ({
    match: { method: 'GET', path: 'dns_records$' },
    when: 'after',
    ...(effect && { effect }),
  })

  it('a record can be deleted', async () => {
    await sandbox.setFaults(afterList({ kind: 'delete-record', name }))
    expect(await contents()).toEqual(['A 192.0.2.1'])
    expect(await put('192.0.2.2')).toMatchObject({ status: 404, body: { errors: [{ code: 81044 }] } })
    expect((await sandbox.journal())[0]).toMatchObject({ status: 200, fault: 'delete-record' })
  })

  it('a record can change its type', async () => {
    await sandbox.setFaults(
      afterList({ kind: 'change-record', name, type: 'A', fields: { type: 'TXT', content: 'gone' } }),
    )
    expect(await contents()).toEqual(['A 192.0.2.1'])
    expect(await sandbox.named(name)).toMatchObject([{ id, type: 'TXT', content: 'gone', proxiable: false }])
  })

  it('a token can be revoked', async () => {
    const token = sandbox.at.cloudflare.dnsToken
    await sandbox.setFaults(afterList({ kind: 'revoke-token' }))
    const list = () => sandbox.api('GET', sandbox.records, { token })
    expect([(await list()).status, (await list()).status]).toEqual([200, 403])
    const { tokens } = (await sandbox.control('GET', '/state')).body as { tokens: { status: string }[] }
    expect(tokens.map(({ status }) => status)).toEqual(['active', 'revoked'])
    await sandbox.control('PUT', '/state', { tokens: tokens.map(one => ({ ...one, status: 'active' })) })
  })
})

describe('an effect', () => {
  it('can run before the request it matches', async () => {
    await sandbox.setFaults({
      match: { method: 'PUT' },
      effect: { kind: 'change-record', name, fields: { ttl: 600, comment: 'by hand' } },
    })
    await sandbox.api('PATCH', item(id), { body: { content: '192.0.2.3' } })
    await put('192.0.2.3')
    expect(await contents()).toEqual(['A 192.0.2.3'])
    await sandbox.setFaults({
      match: { method: 'PUT' },
      effect: { kind: 'delete-record', name, type: 'TXT' },
    })
    expect((await put('192.0.2.4')).status).toBe(200)
  })

  it('can be combined with an answer, with or without commit', async () => {
    for (const commit of [true, false]) {
      await sandbox.setFaults({
        match: { method: 'PUT' },
        commit,
        effect: { kind: 'change-record', name, fields: { comment: 'noticed' } },
        answer: { kind: 'respond', status: 503 },
      })
      const before = (await sandbox.named(name))[0]?.content
      await put(`192.0.2.${commit ? 5 : 6}`).catch(() => undefined)
      expect(await contents()).toEqual([`A ${commit ? '192.0.2.5' : before}`])
    }
    expect((await sandbox.named(name))[0]?.comment).toBe('noticed')
  })

  it('changes nothing if its target does not exist', async () => {
    await sandbox.setFaults(
      { match: {}, effect: { kind: 'delete-record', name: 'nothing.example.com' } },
      { match: {}, effect: { kind: 'delete-record', name: 'nothing.example.net' } },
      { match: {}, effect: { kind: 'revoke-token', token: 'nobody' } },
    )
    for (const _ of Array(3)) expect(await contents()).toEqual(['A 192.0.2.1'])
  })

  it('appears in the state with its defaults', async () => {
    const effect = { kind: 'stale', of: 'dns', forMs: 5 } as const
    await sandbox.control('PUT', '/faults', { faults: [{ match: {}, effect }] })
    expect((await sandbox.control('GET', '/state')).body['faults']).toMatchObject([
      { when: 'before', effect: { ...effect, servers: [0, 1] } },
    ])
  })
})

describe('API reads with a stale fault', () => {
  const stale: Fault = {
    match: { method: 'PUT' },
    times: null,
    effect: { kind: 'stale', of: 'api', forMs: 3000 },
  }

  it('return the old state for a set time, in lists and single records', async () => {
    await sandbox.setFaults(stale)
    await put('192.0.2.8')
    expect(await contents()).toEqual(['A 192.0.2.1'])
    expect((await sandbox.api('GET', item(id))).body.result).toMatchObject({ content: '192.0.2.1' })
    await advance(3001)
    expect(await contents()).toEqual(['A 192.0.2.8'])
  })

  it('show several writes one after the other', async () => {
    await sandbox.setFaults(stale)
    await put('192.0.2.11')
    await advance(2000)
    await put('192.0.2.12')
    expect(await contents()).toEqual(['A 192.0.2.1'])
    await advance(1500)
    expect(await contents()).toEqual(['A 192.0.2.11'])
    await advance(2000)
    expect(await contents()).toEqual(['A 192.0.2.12'])
  })
})

describe('the name servers', () => {
  const served = () =>
    Promise.all(
      sandbox.at.nameServers.map(async ({ host, port }) => {
        const resolver = new dns.Resolver({ timeout: 2000, tries: 1 })
        resolver.setServers([`${host}:${port}`])
        return (await resolver.resolve4(name))[0]
      }),
    )

  it('are two, and nameServer is the first', async () => {
    expect(sandbox.at.nameServers).toHaveLength(2)
    expect(sandbox.at.nameServers[0]).toEqual(sandbox.at.nameServer)
    expect(await served()).toEqual(['192.0.2.1', '192.0.2.1'])
    expect((await sandbox.journal()).map(({ instance }) => instance).sort()).toEqual([0, 1])
  })

  it('can lag, one of them or both', async () => {
    const lag = (...servers: number[]): Fault => ({
      match: { method: 'PUT' },
      effect: { kind: 'stale', of: 'dns', forMs: 10_000, servers },
    })
    await sandbox.setFaults(lag(0, 1))
    await put('192.0.2.20')
    expect(await contents()).toEqual(['A 192.0.2.20'])
    expect(await served()).toEqual(['192.0.2.1', '192.0.2.1'])
    await advance(10_001)
    expect(await served()).toEqual(['192.0.2.20', '192.0.2.20'])
    await sandbox.setFaults(lag(1))
    await put('192.0.2.21')
    expect(await served()).toEqual(['192.0.2.21', '192.0.2.20'])
    await advance(10_001)
    expect(await served()).toEqual(['192.0.2.21', '192.0.2.21'])
  })
})

it('a fault can choose the form of its errors', async () => {
  const errors = [{ code: 9005, message: 'No.' }]
  for (const form of ['flat', 'chained'] as const) {
    await sandbox.setFaults({ match: {}, answer: { kind: 'errors', status: 400, errors, form } })
    const { body } = await sandbox.api('GET', sandbox.records)
    expect(body.errors[0]?.code).toBe(form === 'flat' ? 9005 : 1004)
  }
})

it.each([
  [{ match: {} }, 'must have an answer, an effect or both'],
  [{ match: {}, effect: { kind: 'melt' } }, 'effect.kind must be one of'],
  [{ match: {}, effect: { kind: 'delete-record' } }, 'effect.name must be a string'],
  [{ match: {}, effect: { kind: 'change-record', name: 'a', fields: { ttl: 'x' } } }, 'fields.ttl must be'],
  [{ match: {}, effect: { kind: 'change-record', name: 'a', fields: { id: 'b' } } }, 'cannot change "id"'],
  [{ match: {}, effect: { kind: 'stale', forMs: 0 } }, 'effect.forMs must be a whole number'],
  [{ match: {}, effect: { kind: 'stale', of: 'api', forMs: 1, servers: [0] } }, 'for name servers only'],
  [{ match: {}, effect: { kind: 'stale', of: 'dns', forMs: 1, servers: [2] } }, 'servers[0] must be'],
  [{ match: {}, effect: { kind: 'revoke-token', id: 'x' } }, 'has no field "id"'],
  [{ match: {}, when: 'later', effect: { kind: 'revoke-token' } }, 'when must be one of'],
  [{ match: {}, answer: { kind: 'errors', status: 400, errors: [], form: 'round' } }, 'form must be one of'],
])('PUT /faults refuses %j and says why', async (fault, message) => {
  const answer = await sandbox.control('PUT', '/faults', { faults: [fault] })
  expect(answer.status).toBe(400)
  expect(answer.body['error']).toContain(message)
})
