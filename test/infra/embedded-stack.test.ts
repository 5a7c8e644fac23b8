import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import { EmbeddedStack, type LiveProvider, type StackRun } from '../../sandbox/pulumi/engine/stack.ts'
import { changedKeys, type Properties } from '../../sandbox/pulumi/properties.ts'
import { daysAgo } from '../support/configuration.ts'
import { stackOptions, withPush } from './support/stacks.ts'

const secretType = 'azuread:index/applicationPassword:ApplicationPassword'
const workerType = 'cloudflare:index/workersScript:WorkersScript'

/** What the provider was asked to do: the operation and the last part of the type. */
let calls: string[]
/** What exists, by id. */
let live: Map<string, Properties>
/** A type that cannot be updated at the moment. */
let broken: string
/** A type that cannot be created at the moment. */
let unavailable: string

/** A service that holds what it is given. Client secrets and custom domains cannot be updated, as at the real services. */
const provider: LiveProvider = {
  ...cannedProvider,
  async create(type, inputs, context) {
    if (type === unavailable) throw new Error('The service refuses.')
    const { outputs } = await cannedProvider.create(type, inputs, context)
    const id = `${live.size + calls.length}`
    calls.push(`create ${type.split(':').at(-1)}`)
    live.set(id, inputs)
    return { id, outputs: { ...outputs, id, ...(type === secretType ? { value: `secret ${id}` } : {}) } }
  },
  diff(type, { inputs }, now) {
    const changes = changedKeys(inputs, now)
    const fixed = type === secretType || type.endsWith('WorkersCustomDomain')
    return { changes, replaces: fixed ? changes : changes.filter(key => key === 'type' || key === 'zoneId') }
  },
  async read(_, id, { state }) {
    const [own = ''] = id.split('/').slice(-1)
    const inputs = live.get(own)
    return inputs ? { id: own, inputs, state: { ...state, id: own, ...inputs } } : null
  },
  async update(type, id, inputs, { state }) {
    if (type === broken) throw new Error('The service refuses.')
    calls.push(`update ${type.split(':').at(-1)}`)
    live.set(id, inputs)
    return { ...state, ...inputs }
  },
  async delete(type, id) {
    calls.push(`delete ${type.split(':').at(-1)}`)
    live.delete(id)
  },
}

const { program, config: minimal, secrets = {} } = stackOptions()
let config: Readonly<Record<string, string>> = {}
let stack: EmbeddedStack

const recordInputs = {
  zoneId: minimal['homeport:zoneId'] ?? '',
  ...{ name: 'home.example.com', type: 'A', content: '192.0.2.1', ttl: 120, proxied: false },
}

/** The records that the service lists, and how often it was asked. */
let listed: readonly Properties[] = []
let lists = 0
const server = createServer((_, response) => {
  lists += 1
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ success: true, errors: [], messages: [], result: listed }))
})
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  config = { ...minimal, 'cloudflare:baseUrl': `http://127.0.0.1:${port}/client/v4` }
})
afterAll(() => server.close())

const newStack = (more: Readonly<Record<string, string>> = {}) =>
  new EmbeddedStack({
    program,
    name: 'dev',
    provider,
    config,
    secrets: { ...secrets, ...more },
    environment: { CLOUDFLARE_API_TOKEN: 'example' },
  })
const messagesOf = ({ log }: StackRun) => log.map(({ message }) => message).join('\n')

/** Sets keys of the configuration. */
function configure(changes: Readonly<Record<string, string>>) {
  const own = Object.entries(changes).map(([key, value]) => [`homeport:${key}`, value])
  stack.config = { ...config, ...Object.fromEntries(own) }
}
const planned = ({ steps }: StackRun) => steps.map(({ operation, name }) => `${operation} ${name}`).toSorted()

beforeEach(async () => {
  calls = []
  live = new Map()
  broken = ''
  unavailable = ''
  listed = []
  lists = 0
  stack = newStack()
  expect((await stack.up()).succeeded).toBe(true)
  calls = []
})

describe('a stack of the embedded engine', () => {
  it('is left alone if nothing changed', async () => {
    expect(planned(await stack.up())).toEqual([])
    expect(calls).toEqual([])
  })

  it('replaces a resource before it deletes the old one, and a domain after it', async () => {
    configure({ secretRotationB: config['homeport:secretRotationA'] ?? '' })
    await stack.up()
    expect(calls).toEqual([
      'create ApplicationPassword',
      'update WorkersScript',
      'delete ApplicationPassword',
    ])
    calls = []
    configure({ publicOrigin: 'https://staff.example.com' })
    await stack.up()
    const domain = calls.filter(call => call.endsWith('WorkersCustomDomain'))
    expect(domain).toEqual(['delete WorkersCustomDomain', 'create WorkersCustomDomain'])
  })

  it('refuses to replace both client secrets in one run, in previews too, and does so in two', async () => {
    const [a, b] = [config['homeport:secretRotationA'], config['homeport:secretRotationB']]
    configure({ secretRotationA: daysAgo(0), secretRotationB: daysAgo(0) })
    for (const run of [await stack.preview(), await stack.up()]) {
      expect(messagesOf(run)).toContain(`pulumi config set --plaintext secretRotationA ${a}`)
      expect(run.succeeded).toBe(false)
    }
    expect(calls).toEqual([])
    // A version with another lifetime created them.
    const ends = [...live].filter(([, inputs]) => inputs['rotateWhenChanged'])
    for (const [id, inputs] of ends) live.set(id, { ...inputs, endDate: `${daysAgo(-1)}T00:00:00Z` })
    configure({})
    expect(messagesOf(await stack.up())).toMatch(
      /To leave one valid.*pulumi state delete --force 'urn:\S+sign-in-secret/,
    )
    expect(calls).toEqual([])
    for (const [id, inputs] of ends) live.set(id, inputs)
    for (const secretRotationB of [b ?? '', daysAgo(0)]) {
      configure({ secretRotationA: daysAgo(0), secretRotationB })
      await stack.up()
    }
    expect(calls.filter(call => call === 'delete ApplicationPassword')).toHaveLength(2)
  })

  it('replaces both client secrets once both have expired', async () => {
    for (const [id, inputs] of live) {
      if (inputs['rotateWhenChanged']) live.set(id, { ...inputs, endDate: '2026-01-01T00:00:00Z' })
    }
    configure({ secretRotationA: daysAgo(0), secretRotationB: daysAgo(0) })
    expect((await stack.up()).succeeded).toBe(true)
    expect(calls.filter(call => call === 'create ApplicationPassword')).toHaveLength(2)
  })

  it('shows in a preview what it would do, and does nothing', async () => {
    configure({ tokenRotation: 'second', displayName: 'Another name' })
    const rotated = ['create dns-token-16367aac', 'delete dns-token', 'update sign-in-registration']
    expect(planned(await stack.preview())).toEqual(rotated)
    expect(calls).toEqual([])
    expect(planned(await stack.up())).toEqual(rotated)
  })

  it('ignores the fields of other owners', async () => {
    for (const [id, inputs] of live) {
      if (inputs['ttl'] === 120) live.set(id, { ...inputs, content: '203.0.113.77' })
    }
    expect(planned(await stack.up())).toEqual([])
    expect([...live.values()].map(({ content }) => content)).toContain('203.0.113.77')
  })

  it('keeps a replaced resource until a later run succeeds', async () => {
    configure({ secretRotationB: config['homeport:secretRotationA'] ?? '' })
    broken = workerType
    const failed = await stack.up()
    expect(failed.succeeded).toBe(false)
    expect(failed.log.map(({ message }) => message).join('\n')).toContain('The service refuses.')
    expect(calls).toEqual(['create ApplicationPassword'])
    broken = ''
    calls = []
    await stack.up()
    expect(calls).toEqual(['update WorkersScript', 'delete ApplicationPassword'])
  })

  it('refuses to replace what is protected', async () => {
    configure({ zoneId: 'f'.repeat(32) })
    const run = await stack.up()
    expect(run.succeeded).toBe(false)
    expect(messagesOf(run)).toMatch(/For the record "\d+", zoneId is f{32}, but.*pulumi state delete --force/)
    expect(calls).not.toContain('delete DnsRecord')
  })

  it('runs the hook before a creation only, in previews too, and creates nothing if it refuses', async () => {
    expect(lists).toBe(1)
    await stack.up()
    expect(lists).toBe(1)
    const id = 'a'.repeat(32)
    listed = [{ id, name: 'home.example.com', type: 'A', content: '203.0.113.7' }]
    live.clear()
    calls = []
    const refused = await newStack().preview()
    expect(refused.succeeded).toBe(false)
    expect(messagesOf(refused)).toContain(
      `before hook "only-record" failed: home.example.com already has an A record`,
    )
    expect((await newStack().up()).succeeded).toBe(false)
    expect(calls).not.toContain('create DnsRecord')
    expect(lists).toBe(3)
  })

  it('hands over no hostname whose record is refused', async () => {
    configure({ repository: 'owner/name' })
    await stack.up()
    calls = []
    configure({ repository: 'owner/name', hostname: 'home.example.com,wiki.example.com' })
    listed = [{ id: 'a'.repeat(32), name: 'wiki.example.com', type: 'A', content: '203.0.113.7' }]
    expect((await stack.up()).succeeded).toBe(false)
    expect(calls).toEqual([])
    listed = []
    await stack.up()
    expect(calls).toEqual(['create DnsRecord', 'update ActionsEnvironmentVariable'])
  })

  it('serves no hostname to routers whose record is refused', async () => {
    stack = newStack({ 'homeport:pushHosts': withPush.secrets.pushHosts })
    configure({ ...withPush.config, signIn: 'none' })
    live.clear()
    listed = [{ id: 'a'.repeat(32), name: 'home.example.com', type: 'A', content: '203.0.113.7' }]
    expect(messagesOf(await stack.up())).toContain('home.example.com already has an A record')
    expect(calls).not.toContain('create WorkersScript')
    listed = []
    await stack.up()
    expect(calls).toEqual(expect.arrayContaining(['create DnsRecord', 'create WorkersScript']))
  })

  it('imports a record without the hook, and then leaves it alone', async () => {
    const id = 'b'.repeat(32)
    live = new Map([[id, { ...recordInputs, ttl: 300, content: '203.0.113.7' }]])
    lists = 0
    stack = newStack()
    configure({ importRecordId: id })
    expect(planned(await stack.preview())).toContain('import dns-record')
    expect(calls).toEqual([])
    expect(planned(await stack.up())).toEqual(
      expect.arrayContaining(['import dns-record', 'update dns-record']),
    )
    expect(calls).not.toContain('create DnsRecord')
    expect(live.get(id)).toMatchObject({ ttl: 120, content: '203.0.113.7' })
    expect(lists).toBe(0)
    expect(stack.outputs.value['recordId']).toBe(id)
    configure({})
    expect(planned(await stack.up())).toEqual([])
  })

  it('has no outputs after a first run that failed before the program had them', async () => {
    live.clear()
    unavailable = 'cloudflare:index/d1Database:D1Database'
    const first = newStack()
    expect((await first.up()).succeeded).toBe(false)
    expect([...live.values()]).toContainEqual(expect.objectContaining({ ttl: 120 }))
    expect(first.outputs.value).toEqual({})
  })

  it('keeps a record whose first one is gone, and says how', async () => {
    configure({ hostname: 'home.example.com,wiki.example.com' })
    await stack.up()
    for (const [id, { name }] of live) if (name === 'home.example.com') live.delete(id)
    configure({ hostname: 'wiki.example.com' })
    const run = await stack.up()
    expect(messagesOf(run)).toMatch(
      /The stack has wiki\.example\.com A, but not as its first record.*pulumi state rename '\S+::dns-record-wiki\.example\.com-a' dns-record, then pulumi up\./,
    )
    expect(messagesOf(run)).not.toContain('importRecordId')
  })

  it('gets A records beside the AAAA records that it began with', async () => {
    live.clear()
    stack = newStack()
    configure({ recordType: 'AAAA' })
    await stack.up()
    const first = stack.outputs.value['recordId']
    configure({ recordType: 'A,AAAA' })
    expect(messagesOf(await stack.preview())).toContain('pulumi config set --plaintext recordType AAAA,A')
    configure({ recordType: 'AAAA,A' })
    expect(planned(await stack.up())).toEqual(['create dns-record-home.example.com-a'])
    expect(stack.outputs.value['recordId']).toBe(first)
  })

  it('is destroyed in the reverse order, except for what is protected', async () => {
    const steps = await stack.destroy()
    const names = steps.map(({ name }) => name)
    expect(names.filter(name => ['dns-record', 'handler-database'].includes(name))).toEqual([])
    const deleted = calls.map(call => call.replace('delete ', ''))
    expect(deleted.indexOf('WorkersScript')).toBeLessThan(deleted.indexOf('ApplicationPassword'))
    expect([...live.values()]).toEqual([
      expect.objectContaining({ name: 'homeport-dev' }),
      expect.objectContaining({ ttl: 120 }),
    ])
    expect(planned(await stack.preview())).not.toContain('create dns-record')
  })
})
