import { beforeAll, describe, expect, it } from 'vitest'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import type { ProgramRun } from '../../sandbox/pulumi/engine/engine.ts'
import { daysAgo } from '../support/configuration.ts'
import { goldenOf } from './support/golden.ts'
import { runStack, type StackOptions, withClock, withPush } from './support/stacks.ts'

const stacks: Readonly<Record<string, StackOptions>> = {
  minimal: {},
  complete: {
    stack: 'production',
    config: {
      tokenOwner: 'account',
      tokenRotation: '2026-04',
      tokenExpiresOn: '2099-01-01T00:00:00Z',
      tokenAllowedCidrs: '["203.0.113.0/24","2001:db8::/32"]',
      redirectPath: '/Angemeldet/%C3%BCber-Entra',
      displayName: 'People of Example',
      ownerObjectIds: '11111111-2222-3333-4444-555555555555,eeb9b5c0-c28d-22e5-6a74-89caabab44c3',
      requireAssignment: 'true',
      allowedDomains: '["example.com","example.org"]',
      allowGuests: 'true',
      graphUrl: 'https://graph.microsoft.com',
      sessionLifetime: '1h',
      legacyLoginUrl: '/old',
      afterSignInUrl: '/timesheets/',
      appName: 'Timesheets',
      logoutAtProvider: 'true',
      repository: 'acme/people',
      environment: 'dns-production',
      'cloudflare:baseUrl': 'https://dns.example.com/client/v4',
    },
  },
  import: {
    config: {
      importRecordId: '00000000000000000000000000000001',
    },
  },
  host: {
    config: {
      accountId: null,
      signIn: 'host',
      publicOrigin: 'https://home.example.com,https://wiki.example.com',
      basePath: '/_homeport',
      autoSignIn: 'true',
    },
  },
  'record-alone': {
    config: {
      accountId: null,
      publicOrigin: null,
      secretRotationA: null,
      secretRotationB: null,
      allowedDomains: null,
      signIn: 'none',
      hostname: 'home.example.com,wiki.example.com',
      recordType: 'A,AAAA',
      repository: 'acme/people',
    },
    secrets: { sessionKeys: null },
  },
  push: {
    config: {
      ...withPush.config,
      ...withClock.config,
      publicOrigin: null,
      secretRotationA: null,
      secretRotationB: null,
      allowedDomains: null,
      signIn: 'none',
      tokenExpiresOn: '2099-01-01T00:00:00Z',
      tokenAllowedCidrs: '203.0.113.0/24',
      'cloudflare:baseUrl': 'https://dns.example.com/client/v4',
    },
    secrets: { ...withPush.secrets, ...withClock.secrets, sessionKeys: null },
  },
  clock: {
    config: {
      ...withClock.config,
      publicOrigin: null,
      secretRotationA: null,
      secretRotationB: null,
      allowedDomains: null,
      signIn: 'none',
    },
    secrets: { ...withClock.secrets, sessionKeys: null },
  },
  preview: { preview: true, config: { repository: 'acme/people' } },
}

let minimal: ProgramRun
beforeAll(async () => {
  minimal = await runStack()
})

describe('the declared graph', () => {
  it.each(Object.entries(stacks))('of the stack "%s" matches the reviewed file', async (name, options) => {
    const run = await runStack(options)
    expect(run.log).toEqual([])
    expect(run.succeeded).toBe(true)
    const base = name === 'minimal' ? undefined : minimal
    await expect(goldenOf(run, base)).toMatchFileSnapshot(`golden/${name}.yaml`)
  })

  it('replaces one client secret when its date changes, puts it first, and leaves the other one alone', async () => {
    const passwords = async (config: Readonly<Record<string, string>>) => {
      const { graph } = await runStack({ config })
      const worker = graph.resources.find(({ name }) => name === 'handler-worker')
      const inputsOf = (slot: string) =>
        graph.resources.find(({ name }) => name === `sign-in-secret-${slot}`)?.inputs
      return { a: inputsOf('a'), b: inputsOf('b'), bindings: JSON.stringify(worker?.inputs['bindings']) }
    }
    const before = await passwords({})
    const after = await passwords({ secretRotationB: daysAgo(0) })
    expect(after.a).toEqual(before.a)
    expect(after.b).toMatchObject({
      endDate: `${daysAgo(-180)}T00:00:00Z`,
      rotateWhenChanged: { rotatedOn: daysAgo(0) },
    })
    const orderIn = (bindings: string) => /"text":"(canned~[^"]+)"/.exec(bindings)?.[1]?.split(',')
    expect(orderIn(before.bindings)).toHaveLength(2)
    expect(orderIn(after.bindings)).toEqual(orderIn(before.bindings)?.toReversed())
  })

  it('does not depend on the location of the repository', () => {
    expect(JSON.stringify([minimal.graph, minimal.outputs])).not.toContain(process.cwd())
  })

  it('has the same owners for every listed deployer, and only the deployer if none is listed', async () => {
    const [one, other] = ['11111111-2222-3333-4444-555555555555', '99999999-2222-3333-4444-555555555555']
    const ownersBy = async (objectId: string, ownerObjectIds: string | null) => {
      const { graph, log } = await runStack({
        config: { ownerObjectIds },
        provider: {
          create: cannedProvider.create,
          invoke: async (token, args, context) =>
            token.endsWith(':getClientConfig')
              ? { tenantId: 'example.com', objectId }
              : cannedProvider.invoke(token, args, context),
        },
      })
      const owners = ['sign-in-registration', 'sign-in-principal'].map(
        name => graph.resources.find(resource => resource.name === name)?.inputs['owners'],
      )
      return { owners, messages: JSON.stringify(log) }
    }
    const [byOne, byOther, alone, stranger] = await Promise.all([
      ownersBy(one, `${other},${one}`),
      ownersBy(other, `${other},${one}`),
      ownersBy(one, null),
      ownersBy(one, other),
    ])
    expect(byOne.owners).toEqual([
      [one, other],
      [one, other],
    ])
    expect(byOther.owners).toEqual(byOne.owners)
    expect(alone.owners).toEqual([[one], [one]])
    expect(stranger.owners).toEqual(byOne.owners)
    expect(byOne.messages).not.toContain('ownerObjectIds')
    expect(stranger.messages).toContain(
      `homeport:ownerObjectIds does not list ${one}, who deploys now, so the owners change with every deployer. List everybody who deploys: pulumi config set --plaintext ownerObjectIds ${other},${one}`,
    )
  })

  it('fails with the answer of a service that refuses, and declares nothing that depends on it', async () => {
    const run = await runStack({
      provider: {
        invoke: cannedProvider.invoke,
        async create(type, inputs, context) {
          if (type.endsWith(':D1Database')) throw new Error('refused (7400)')
          return cannedProvider.create(type, inputs, context)
        },
      },
    })
    expect(run.succeeded).toBe(false)
    expect(run.log).toContainEqual({
      severity: 'error',
      message: 'cloudflare:index/d1Database:D1Database handler-database: refused (7400)',
    })
    expect(run.graph.resources.map(({ name }) => name)).toContain('dns-record')
    expect(run.graph.resources.map(({ name }) => name)).not.toContain('handler-worker')
  })

  it.each([
    ['lists no permission to write DNS', [], /lists 0 permission groups named DNS Write/],
    ['lists two of that name', ['4755a26eedb94da69e1066d98aa820be', 'another'], /lists 2 permission groups/],
    ['lists another id under that name', ['another'], /has the id "another" instead of 4755a26e/],
  ])('creates no token if the service %s', async (_, ids, message) => {
    const results = ids.map(id => ({ id, name: 'DNS Write', scopes: ['com.cloudflare.api.account.zone'] }))
    const run = await runStack({
      provider: {
        create: cannedProvider.create,
        invoke: async (token, args, context) =>
          token.includes('PermissionGroups') ? { results } : cannedProvider.invoke(token, args, context),
      },
    })
    expect(run.succeeded).toBe(false)
    expect(run.log.map(({ message: text }) => text).join('\n')).toMatch(message)
    expect(run.graph.resources.map(({ name }) => name)).not.toContain('dns-token')
  })
})
