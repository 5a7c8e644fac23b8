import { beforeAll, describe, expect, it } from 'vitest'
import { judge } from '../../infra/policy/rules.ts'
import { pushBindings } from '../../infra/resources/push-bindings.ts'
import { requireDnsWrite } from '../../infra/resources/token-policy.ts'
import { compatibilityDate } from '../../infra/resources/worker-arguments.ts'
import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { cannedProvider } from '../../sandbox/pulumi/engine/canned.ts'
import type { ProgramRun } from '../../sandbox/pulumi/engine/engine.ts'
import { asList, asProperties, text } from '../../sandbox/pulumi/properties.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { daysAgo } from '../support/configuration.ts'
import { declaredIn } from '../support/declared.ts'
import { goldenOf, readText } from './support/golden.ts'
import {
  policyStack,
  runStack,
  type StackOptions,
  withClock,
  withoutSignIn,
  withPush,
} from './support/stacks.ts'

const deployer = 'eeb9b5c0-c28d-22e5-6a74-89caabab44c3'
const owner = '11111111-2222-3333-4444-555555555555'

const stacks: Readonly<Record<string, StackOptions>> = {
  minimal: {},
  complete: {
    config: {
      tokenOwner: 'account',
      tokenRotation: '2026-04',
      tokenExpiresOn: '2099-01-01T00:00:00Z',
      tokenAllowedCidrs: '["203.0.113.0/24","2001:db8::/32"]',
      redirectPath: '/Angemeldet/%C3%BCber-Entra',
      displayName: 'People of Example',
      ownerObjectIds: `${deployer},${owner}`,
      requireAssignment: 'true',
      allowedDomains: '["example.com","example.org"]',
      allowGuests: 'true',
      graphUrl: 'https://graph.microsoft.com',
      sessionLifetime: '1h',
      legacyLoginUrl: '/old',
      afterSignInUrl: '/timesheets/',
      appName: 'Timesheets',
      logoutAtProvider: 'true',
      'cloudflare:baseUrl': 'http://127.0.0.1/client/v4',
    },
  },
  import: { config: { importRecordId: '00000000000000000000000000000001' } },
  host: {
    config: {
      accountId: null,
      signIn: 'host',
      publicOrigin: 'https://home.example.com,https://wiki.example.com:8443',
      basePath: '/_homeport',
      autoSignIn: 'true',
    },
  },
  push: {
    config: {
      ...withoutSignIn.config,
      ...withPush.config,
      ...withClock.config,
      hostname: 'home.example.com,wiki.example.com',
      recordType: 'A,AAAA',
      repository: 'acme/people',
      tokenExpiresOn: '2099-01-01T00:00:00Z',
      tokenAllowedCidrs: '203.0.113.0/24',
      'cloudflare:baseUrl': 'http://127.0.0.1/client/v4',
    },
    secrets: { ...withoutSignIn.secrets, ...withPush.secrets, ...withClock.secrets },
  },
}

const resourceOf = ({ graph }: ProgramRun, name: string) =>
  graph.resources.find(resource => resource.name === name)
const bindingsOf = (run: ProgramRun): Readonly<Record<string, string>> =>
  Object.fromEntries(
    asList(resourceOf(run, 'handler-worker')?.inputs['bindings'])
      .map(asProperties)
      .map(one => [text(one['name']), text(one['text'])]),
  )
const messagesOf = ({ log }: ProgramRun) => log.map(({ message }) => message).join('\n')

let minimal: ProgramRun
beforeAll(async () => {
  minimal = await runStack()
})

describe('the declared graph', () => {
  it.each(Object.entries(stacks))('of the stack "%s" matches the reviewed file', async (name, options) => {
    const run = await runStack(options)
    expect(run.log).toEqual([])
    expect(run.succeeded).toBe(true)
    expect(judge(declaredIn(run.graph), policyStack(options))).toEqual([])
    const bindings = bindingsOf(run)
    if (bindings['TENANT_ID']) expect(readSettings(bindings)).toHaveProperty('value')
    const base = name === 'minimal' ? undefined : minimal
    await expect(goldenOf(run, base)).toMatchFileSnapshot(`golden/${name}.yaml`)
  })

  it('binds the newest client secret first', async () => {
    const secretsOf = (run: ProgramRun) => bindingsOf(run)['CLIENT_SECRET']?.split(',')
    const rotated = await runStack({ config: { secretRotationB: daysAgo(0) } })
    expect(secretsOf(rotated)).toEqual(secretsOf(minimal)?.toReversed())
  })

  it('refuses a deployer who is not listed as an owner, before it declares anything', async () => {
    const run = await runStack({ config: { ownerObjectIds: owner } })
    expect(run.graph.resources.filter(({ type }) => type !== 'pulumi:pulumi:Stack')).toEqual([])
    expect(messagesOf(run)).toContain(`pulumi config set --plaintext ownerObjectIds ${owner},${deployer}`)
  })

  it('hands over no hostname whose record was refused', async () => {
    const run = await runStack({
      config: { ...withPush.config, repository: 'acme/people' },
      secrets: withPush.secrets,
      provider: {
        ...cannedProvider,
        async create(type, inputs) {
          if (type.endsWith(':DnsRecord')) throw new Error('refused (81058)')
          return cannedProvider.create(type, inputs)
        },
      },
    })
    expect(run.succeeded).toBe(false)
    expect(messagesOf(run)).toContain('dns-record: refused (81058)')
    const names = run.graph.resources.map(({ name }) => name)
    expect(names.filter(name => /^(push|repository)/.test(name))).toEqual([])
  })

  it.each([
    ['no permission to write DNS', [], /lists 0 permission groups/],
    ['two of that name', ['4755a26eedb94da69e1066d98aa820be', 'another'], /lists 2 permission groups/],
    ['another id under that name', ['another'], /has the id "another" instead of 4755a26e/],
  ])('has no token if the service lists %s', (_, ids, message) => {
    const scopes = ['com.cloudflare.api.account.zone']
    const other = { id: 'x', name: 'DNS Write', scopes: ['com.cloudflare.api.account'] }
    expect(() => requireDnsWrite([other, ...ids.map(id => ({ id, name: 'DNS Write', scopes }))])).toThrow(
      message,
    )
  })
})

it('docs/push/wrangler.toml has the limit and the compatibility date of the endpoint', () => {
  const template = readText('docs/push/wrangler.toml')
  const bindings = pushBindings('', cloudflareApiUrl, { apiToken: '', hosts: '' })
  const limit = bindings.find(({ type }) => type === 'ratelimit')
  if (limit?.type !== 'ratelimit') throw new Error('There is no limit.')
  expect(template).toContain(`name = "${limit.name}"\nnamespace_id = "${limit.namespaceId}"`)
  expect(template).toContain(`simple = { limit = ${limit.simple.limit}, period = ${limit.simple.period} }`)
  expect(template).toContain(`compatibility_date = "${compatibilityDate}"`)
  // Old versions have old passwords, and an entry of each request would have its query.
  for (const line of ['preview_urls = false', 'invocation_logs = false'])
    expect(template).toContain(`\n${line}\n`)
})
