import { beforeEach, describe, expect, it } from 'vitest'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import { EmbeddedStack, type LiveProvider, type StackRun } from '../../sandbox/pulumi/engine/stack.ts'
import { changedKeys, type Properties } from '../../sandbox/pulumi/properties.ts'
import { stackOptions } from './support/stacks.ts'

const secretType = 'azuread:index/applicationPassword:ApplicationPassword'
const workerType = 'cloudflare:index/workersScript:WorkersScript'

/** What the provider was asked to do: the operation and the last part of the type. */
let calls: string[]
/** What exists, by id. */
let live: Map<string, Properties>
/** A type that cannot be updated at the moment. */
let broken: string

/** A service that holds what it is given. Client secrets and custom domains cannot be updated, as at the real services. */
const provider: LiveProvider = {
  ...cannedProvider,
  async create(type, inputs, context) {
    const { outputs } = await cannedProvider.create(type, inputs, context)
    const id = `${live.size + calls.length}`
    calls.push(`create ${type.split(':').at(-1)}`)
    live.set(id, inputs)
    return { id, outputs: { ...outputs, ...(type === secretType ? { value: `secret ${id}` } : {}) } }
  },
  diff(type, { inputs }, now) {
    const changes = changedKeys(inputs, now)
    const fixed = type === secretType || type.endsWith('WorkersCustomDomain')
    return { changes, replaces: fixed ? changes : changes.filter(key => key === 'type' || key === 'zoneId') }
  },
  async read(_, id, { state }) {
    const inputs = live.get(id)
    return inputs && { id, state, inputs }
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

const { program, config, secrets = {} } = stackOptions()
let stack: EmbeddedStack

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
  stack = new EmbeddedStack({ program, name: 'dev', provider, config, secrets })
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

  it('shows in a preview what it would do, and does nothing', async () => {
    configure({ tokenRotation: 'second', displayName: 'Another name' })
    expect(planned(await stack.preview())).toEqual(['replace dns-token', 'update sign-in-registration'])
    expect(calls).toEqual([])
    expect(planned(await stack.up())).toEqual(['replace dns-token', 'update sign-in-registration'])
  })

  it('finds that a resource is gone, and creates it again', async () => {
    const [id = ''] = [...live].find(([, inputs]) => inputs['ttl'] === 120) ?? []
    live.delete(id)
    expect(planned(await stack.up())).toEqual(['create dns-record'])
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
    const { succeeded, log } = await stack.up()
    expect(succeeded).toBe(false)
    expect(log.map(({ message }) => message).join('\n')).toContain('dns-record is protected')
    expect(calls).not.toContain('delete DnsRecord')
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
