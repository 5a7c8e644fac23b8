import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { fieldOf, listOf } from '../../../infra/json.ts'
import type { Declared } from '../../../infra/policy/rule.ts'
import { judge, resourceRules, stackRules } from '../../../infra/policy/rules.ts'
import { clockNames, isOfClock, isOfPush, pushNames, types } from '../../../infra/stack-facts.ts'
import { unknownValue } from '../../../sandbox/pulumi/wire.ts'
import { declaredIn } from '../../support/declared.ts'
import { runStack, withClock, withPush } from '../support/stacks.ts'

/** What the policy pack serves. */
const pack = vi.hoisted(() => ({ policies: [] as readonly ServedPolicy[] }))
vi.mock('@pulumi/policy', () => ({
  PolicyPack: class {
    constructor(_name: string, served: object) {
      Object.assign(pack, served)
    }
  },
}))

type Props = Readonly<Record<string, unknown>>

/** Guards properties as the pack's library does: reading an unknown value throws. */
const { unknownCheckingProxy } = createRequire(import.meta.url)('@pulumi/policy/proxy.js') as {
  unknownCheckingProxy(props: Props): Props
}

const dnsWrite = '4755a26eedb94da69e1066d98aa820be'

/** A policy as the engine's library calls it. */
interface ServedPolicy {
  readonly name: string
  validateResource?(resource: object, report: (message: string) => void): void
  validateStack?(
    stack: { readonly resources: readonly object[] },
    report: (message: string, urn: string) => void,
  ): void
}

type Change = (resource: Declared) => Declared

const props =
  (changes: Props): Change =>
  resource => ({ ...resource, props: { ...resource.props, ...changes } })
const options =
  (changes: Partial<Declared['options']>): Change =>
  resource => ({ ...resource, options: { ...resource.options, ...changes } })
const policy = (changes: Props): Change =>
  props({
    policies: [
      {
        effect: 'allow',
        permissionGroups: [{ id: dnsWrite }],
        resources: '{"com.cloudflare.api.account.zone.0123456789abcdef0123456789abcdef":"*"}',
        ...changes,
      },
    ],
  })
const web =
  (changes: Props): Change =>
  resource =>
    props({ web: { ...(resource.props['web'] as Props), ...changes } })(resource)
const binding =
  (name: string, changes: Props): Change =>
  resource =>
    props({
      bindings: (resource.props['bindings'] as readonly Props[]).map(one =>
        one['name'] === name ? { ...one, ...changes } : one,
      ),
    })(resource)
const bound =
  (one: Props): Change =>
  resource =>
    props({ bindings: [...(resource.props['bindings'] as readonly Props[]), one] })(resource)
const asked = (id: string, type: string): Change =>
  props({
    requiredResourceAccesses: [
      { resourceAppId: '00000003-0000-0000-c000-000000000000', resourceAccesses: [{ id, type }] },
    ],
  })

const userRead = 'e1fe6dd8-ba31-4d61-89e7-88639da4683d'
const mailRead = 'df021288-bdef-4463-88db-98f22de89214'
const other = 'fedcba9876543210fedcba9876543210'
const grant = { accessTokenIssuanceEnabled: false, idTokenIssuanceEnabled: true }
const redirects = (...redirectUris: string[]) => web({ redirectUris })
const token = 'com.cloudflare.api.account'
const { application, database, domain, password, record, script, userToken } = types
const typed =
  (type: string): Change =>
  resource => ({ ...resource, type })
const named =
  (name: string): Change =>
  resource => ({ ...resource, name })
const notOurs = /is not one of the resources of this program\. Remove it/

/** For each rule: type (or logical name, for the push endpoint) of the resource to change, change, and what the message must say. */
const broken: Readonly<Record<string, readonly (readonly [string, Change, RegExp])[]>> = {
  'only-declared': [
    [domain, typed('cloudflare:index/workersRoute:WorkersRoute'), notOurs],
    ['pulumi:providers:cloudflare', typed('pulumi:providers:command'), notOurs],
    [record, named('dns-record-spare'), notOurs],
    [script, named('handler-second'), notOurs],
    [password, named('sign-in-secret-c'), notOurs],
  ],
  'record-shape': [
    [record, props({ ttl: 1 }), /ttl: 120/],
    [record, props({ type: 'CNAME' }), /CNAME.*Declare A or AAAA/],
    [record, props({ proxied: true }), /proxied: false/],
    [record, props({ priority: 1, settings: { ipv4Only: true } }), /priority, settings.*Remove/],
  ],
  'record-ownership': [
    [record, options({ ignoreChanges: ['content'] }), /comment, tags.*\["content", "comment", "tags"\]/],
    [record, options({ ignoreChanges: ['content', 'comment', 'tags', 'ttl'] }), /ignores changes of ttl,/],
    [record, options({ protect: false }), /protect: true/],
  ],
  'token-least-privilege': [
    [userToken, props({ policies: [{}, {}] }), /2 policies\. Declare one/],
    [userToken, policy({ effect: 'deny' }), /deny\. Declare allow/],
    [userToken, policy({ permissionGroups: [{ id: 'a' }] }), /DNS Write/],
    [userToken, policy({ permissionGroups: [{ id: dnsWrite }, { id: 'b' }] }), /only this one/],
    [userToken, policy({ resources: `{"${token}.zone.*":"*"}` }), /one zone/],
    [userToken, policy({ resources: `{"${token}.${other}":"*"}` }), /one zone/],
    [userToken, policy({ resources: { a: '*' } }), /JSON text/],
  ],
  'token-zone': [[userToken, policy({ resources: `{"${token}.zone.${other}":"*"}` }), /the zone fedcba98/]],
  'database-kept': [
    [database, options({ protect: false }), /protect: true/],
    [database, options({ ignoreChanges: [] }), /empty.*\["name","jurisdiction"\]/],
    [database, options({ ignoreChanges: ['name', 'jurisdiction', 'accountId'] }), /accountId.*only/],
  ],
  'worker-kept': [[script, options({ ignoreChanges: [] }), /replaced.*\["scriptName"\]/]],
  'push-bindings-exact': [
    [pushNames.script, binding('API_TOKEN', { type: 'plain_text' }), /no binding API_TOKEN \(secret_text\)/],
    [pushNames.script, bound({ name: 'PLAIN_HTTP', type: 'plain_text', text: 'true' }), /binds PLAIN_HTTP/],
    [clockNames.script, binding('WORKFLOW_TOKEN', { name: 'TOKEN' }), /no binding WORKFLOW_TOKEN/],
    [clockNames.script, bound({ name: 'ZONE_ID', type: 'plain_text', text: '0' }), /binds ZONE_ID/],
  ],
  'rotates-without-gap': [
    [userToken, options({ deleteBeforeReplace: true }), /Remove deleteBeforeReplace/],
    [password, options({ deleteBeforeReplace: true }), /Remove deleteBeforeReplace/],
  ],
  'minting-provider-isolated': [
    [userToken, one => ({ ...one, provider: null }), /separate provider/],
    [record, one => ({ ...one, provider: 'minting' }), /Use the default provider/],
  ],
  'registration-redirects': [
    [application, redirects(), /no redirect URI under web/],
    [application, redirects('https://people.example.com'), /has no path/],
  ],
  'registration-narrow': [
    [application, props({ signInAudience: 'AzureADMultipleOrgs' }), /AzureADMyOrg/],
    [application, web({ implicitGrant: grant }), /idTokenIssuanceEnabled: false/],
    [application, asked(mailRead, 'Scope'), /User\.Read/],
    [application, asked(userRead, 'Role'), /User\.Read/],
  ],
  'registration-inputs': [
    [application, props({ owners: [] }), /Declare the deployer/],
    [application, props({ identifierUris: ['api://people'] }), /declares identifierUris, which.*Remove it/],
    [application, web({ logoutUrl: 'https://elsewhere.example' }), /declares web\.logoutUrl, which/],
  ],
  'worker-secrets': [
    [script, binding('CLIENT_SECRET', { type: 'plain_text' }), /CLIENT_SECRET.*secret_text/],
    [script, bound({ name: 'DATABASE_URL', type: 'plain_text', text: 'x' }), /DATABASE_URL as plain_text/],
    [script, bound({ name: 'DSN', type: 'json', json: '{}' }), /DSN as json/],
    [script, options({ additionalSecretOutputs: [] }), /additionalSecretOutputs/],
    [
      pushNames.script,
      binding('ZONE_ID', { name: 'TENANT_ID' }),
      /TENANT_ID.*shows only BASE_URL and ZONE_ID/,
    ],
    [clockNames.script, binding('WORKFLOW_TOKEN', { type: 'plain_text' }), /shows only WORKFLOW\./],
  ],
  'worker-logs': [[script, props({ observability: { enabled: true } }), /invocationLogs: false/]],
  'worker-upload': [
    [script, props({ mainModule: null }), /mainModule/],
    [script, binding('REQUIRE_STATE', { text: '' }), /REQUIRE_STATE/],
    [script, binding('FAILED_CALLBACKS', { type: 'json' }), /FAILED_CALLBACKS/],
    [script, props({ tailConsumers: [{ service: 'x' }] }), /declares tailConsumers, which.*Remove it/],
    [pushNames.script, props({ logpush: true }), /declares logpush, which.*Remove it/],
  ],
  'domain-replaced-first': [[domain, options({ deleteBeforeReplace: false }), /deleteBeforeReplace: true/]],
  'hosts-distinct': [
    [domain, props({ hostname: 'home.example.com' }), /dns-record.*another host/],
    [pushNames.domain, props({ hostname: 'people.example.com' }), /handler-domain\. Use another host/],
  ],
  'same-redirects': [
    [
      script,
      binding('REDIRECT_URI', { text: 'https://people.example.com/auth/callback/' }),
      /not registered/,
    ],
    [
      application,
      redirects('https://people.example.com/auth/callback', 'https://old.example.com/x'),
      /has https:\/\/old\.example\.com\/x, which the handler does not use\. Remove it/,
    ],
  ],
}
const cases = Object.entries(broken).flatMap(([rule, changes]) =>
  changes.map(change => [rule, ...change] as const),
)

const withEverything = {
  config: { ...withPush.config, ...withClock.config, repository: 'acme/people' },
  secrets: { ...withPush.secrets, ...withClock.secrets },
}

let declared: readonly Declared[] = []
beforeAll(async () => {
  declared = declaredIn((await runStack(withEverything)).graph)
  await import('../../../infra/policy/pack.ts')
})

describe('the policies', () => {
  it('are all in the pack, and mandatory', () => {
    const policies = [...resourceRules, ...stackRules].map(({ name }) => expect.objectContaining({ name }))
    expect(pack).toEqual({ enforcementLevel: 'mandatory', policies })
  })

  it('report in the pack what breaks them, with the resource to change', () => {
    /** Returns what all policies say of the resources, as the engine shows them, after a change of one. */
    function reported(changed: string, change: Change): readonly string[] {
      const said: string[] = []
      const report = (...words: readonly string[]) => void said.push(words.join(' at '))
      const resources = declared.map(one => {
        const { provider, options: opts, ...shown } = one.name === changed ? change(one) : one
        return { ...shown, opts, provider: { name: provider ?? 'default_6_22_1' }, urn: `urn:${one.name}` }
      })
      for (const { validateResource, validateStack } of pack.policies) {
        for (const one of resources) validateResource?.(one, report)
        validateStack?.({ resources }, report)
      }
      return said
    }
    expect(reported('', props({}))).toEqual([])
    expect(reported('dns-token', one => ({ ...one, provider: null }))).toEqual([
      expect.stringMatching(/^dns-token .*separate provider/),
    ])
    expect(reported('handler-domain', props({ hostname: 'home.example.com' }))).toEqual([
      expect.stringMatching(/^handler-domain has the hostname .* at urn:handler-domain$/),
    ])
  })

  it.each(cases)('%s reports a %s that breaks it (%#)', (rule, type, change, message) => {
    const target = declared.find(
      one => (isOfPush(one.name) || isOfClock(one.name) ? one.name : one.type) === type,
    )
    expect(target).toBeDefined()
    const findings = judge(declared.map(resource => (resource === target ? change(resource) : resource)))
    const found = findings.find(finding => finding.rule === rule)
    expect(found?.resource).toBe(target && change(target).name)
    expect(found?.message).toMatch(message)
    expect(found?.message).toMatch(/\. [A-Z].*\.$/)
  })

  it('judge a first preview too, where the values that the services choose are unknown', async () => {
    const { graph } = await runStack({ ...withEverything, preview: true })
    const previewed = declaredIn(graph).map(one => ({ ...one, props: unknownCheckingProxy(one.props) }))
    expect(JSON.stringify(declaredIn(graph))).toContain(unknownValue)
    expect(judge(previewed)).toEqual([])
    const script = previewed.find(({ type, name }) => type === types.script && !isOfPush(name))
    const texts = () => listOf(script?.props['bindings']).map(one => fieldOf(one, 'text'))
    // The rules do not read these values: reading one makes a rule advisory.
    expect(texts).toThrow(/can't be known during preview/)
  })

  it('compare the registration with the outputs of a stack whose handler is on a host', async () => {
    const config = { signIn: 'host', publicOrigin: 'https://a.example.com,https://b.example.com' }
    const { graph, outputs } = await runStack({ config })
    const host: Declared = { ...(declared[0] as Declared), type: 'pulumi:pulumi:Stack', props: outputs.value }
    // The Worker that the run is about to delete.
    const leaving = declared.filter(({ type }) => type === types.script)
    expect(judge([...declaredIn(graph), host, ...leaving])).toEqual([])
    const old = props({ redirectUri: 'https://a.example.com/auth/callback' })(host)
    expect(judge([...declaredIn(graph), old])).toEqual([
      expect.objectContaining({
        rule: 'same-redirects',
        message: expect.stringMatching(/^has https:\/\/b\./),
      }),
    ])
  })
})
