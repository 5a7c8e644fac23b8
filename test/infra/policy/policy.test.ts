import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import * as grpc from '@grpc/grpc-js'
import analyzerRpc from '@pulumi/pulumi/proto/analyzer_grpc_pb.js'
import type { AnalyzerInfo } from '@pulumi/pulumi/proto/analyzer_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldOf, listOf } from '../../../infra/json.ts'
import type { Declared } from '../../../infra/policy/rule.ts'
import { judge, resourceRules, stackRules } from '../../../infra/policy/rules.ts'
import { isOfPush, pushNames, types } from '../../../infra/stack-facts.ts'
import { unknownValue } from '../../../sandbox/pulumi/wire.ts'
import { compileCache } from '../../../tools/compile-cache.ts'
import { declaredIn } from '../../support/declared.ts'
import { readText } from '../support/golden.ts'
import { runStack, withClock, withPush } from '../support/stacks.ts'

type Props = Readonly<Record<string, unknown>>

/** Guards properties as the pack's library does: reading an unknown value throws. */
const { unknownCheckingProxy } = createRequire(import.meta.url)('@pulumi/policy/proxy.js') as {
  unknownCheckingProxy(props: Props): Props
}

const dnsWrite = '4755a26eedb94da69e1066d98aa820be'

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
const { application, database, domain, password, principal, record, script, userToken } = types
const typed =
  (type: string): Change =>
  resource => ({ ...resource, type })
const notOurs = /is not one of the resources of this program\. Remove it/

/** For each rule: type (or logical name, for the push endpoint) of the resource to change, change, and what the message must say. */
const broken: Readonly<Record<string, readonly (readonly [string, Change, RegExp])[]>> = {
  'only-declared': [
    [domain, typed('cloudflare:index/workersRoute:WorkersRoute'), notOurs],
    [record, typed('cloudflare:index/record:Record'), notOurs],
    [record, one => ({ ...one, name: 'dns-record-spare' }), notOurs],
    [script, one => ({ ...one, name: 'handler-second' }), notOurs],
    [password, one => ({ ...one, name: 'sign-in-secret-c' }), notOurs],
    ...[
      'applicationCertificate:ApplicationCertificate',
      'applicationFederatedIdentityCredential:ApplicationFederatedIdentityCredential',
      'servicePrincipalPassword:ServicePrincipalPassword',
      'appRoleAssignment:AppRoleAssignment',
      'servicePrincipalDelegatedPermissionGrant:ServicePrincipalDelegatedPermissionGrant',
      'applicationRedirectUris:ApplicationRedirectUris',
    ].map(type => [principal, typed(`azuread:index/${type}`), notOurs] as const),
    ['pulumi:providers:cloudflare', typed('pulumi:providers:command'), notOurs],
  ],
  'record-shape': [
    [record, props({ ttl: 1 }), /ttl 1\. Declare ttl: 120/],
    [record, props({ type: 'CNAME' }), /CNAME.*Declare A or AAAA/],
    [record, props({ proxied: true }), /proxied: false/],
    [record, props({ priority: 1, settings: { ipv4Only: true } }), /priority, settings.*Remove/],
  ],
  'record-ownership': [
    [
      record,
      options({ ignoreChanges: ['content'] }),
      /comment, tags reverted or erased.*ignoreChanges: \["content", "comment", "tags"\]/,
    ],
    [
      record,
      options({ ignoreChanges: ['content', 'comment', 'tags', 'ttl', 'proxied'] }),
      /ignores changes of ttl, proxied.*"tags"\] only/,
    ],
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
    [pushNames.token, policy({ permissionGroups: [{ id: dnsWrite }, { id: 'b' }] }), /only this one/],
  ],
  'token-zone': [
    [pushNames.token, policy({ resources: `{"${token}.zone.${other}":"*"}` }), /record's zone/],
    [
      userToken,
      policy({ resources: `{"${token}.zone.${other}":"*"}` }),
      /the zone fedcba9876543210fedcba9876543210.*record's zone/,
    ],
  ],
  'database-kept': [
    [database, options({ protect: false }), /protect: true/],
    [database, options({ ignoreChanges: [] }), /empty.*ignoreChanges: \["name","jurisdiction"\]/],
    [
      database,
      options({ ignoreChanges: ['name', 'jurisdiction', 'accountId'] }),
      /ignores changes of accountId.*only/,
    ],
  ],
  'worker-kept': [
    [script, options({ ignoreChanges: [] }), /replaced.*ignoreChanges: \["scriptName"\]/],
    [script, options({ ignoreChanges: ['scriptName', 'bindings'] }), /bindings.*only/],
  ],
  'push-bindings-exact': [
    [
      pushNames.script,
      binding('API_TOKEN', { type: 'plain_text' }),
      /no binding API_TOKEN \(secret_text\)\. Declare/,
    ],
    [pushNames.script, binding('WRONG_PASSWORDS', { name: 'OTHER' }), /no binding WRONG_PASSWORDS/],
    [
      pushNames.script,
      bound({ name: 'PLAIN_HTTP', type: 'plain_text', text: 'true' }),
      /binds PLAIN_HTTP \(plain_text\).*Remove it/,
    ],
    [
      pushNames.script,
      bound({ name: 'WORKFLOW_TOKEN', type: 'plain_text', text: 'github_pat_x' }),
      /binds WORKFLOW_TOKEN \(plain_text\).*Remove it/,
    ],
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
    ...[
      { fallbackPublicClientEnabled: true },
      { identifierUris: ['api://people'] },
      { appRoles: [{ value: 'Admin' }] },
      { api: { knownClientApplications: ['x'] } },
      { password: { displayName: 'x' } },
      { singlePageApplication: { redirectUris: ['https://people.example.com/x'] } },
      { publicClient: { redirectUris: ['https://people.example.com/x'] } },
    ].map(
      more =>
        [application, props(more), new RegExp(`declares ${Object.keys(more)[0]}, which.*Remove it`)] as const,
    ),
    [application, web({ logoutUrl: 'https://elsewhere.example' }), /declares web\.logoutUrl, which/],
  ],
  'worker-secrets': [
    [script, binding('CLIENT_SECRET', { type: 'plain_text' }), /CLIENT_SECRET.*secret_text/],
    ...['client_secret', 'DATABASE_URL', 'tenant_id'].map(name => {
      const message = new RegExp(`binds ${name} as plain_text.*secret_text`)
      return [script, bound({ name, type: 'plain_text', text: 'x' }), message] as const
    }),
    [script, bound({ name: 'DSN', type: 'json', json: '{}' }), /DSN as json/],
    [script, options({ additionalSecretOutputs: [] }), /additionalSecretOutputs/],
    [pushNames.script, options({ additionalSecretOutputs: [] }), /additionalSecretOutputs/],
    [
      pushNames.script,
      binding('HOSTS', { type: 'plain_text' }),
      /HOSTS as plain_text\. Bind it as secret_text/,
    ],
    [pushNames.script, binding('ZONE_ID', { name: 'TENANT_ID' }), /TENANT_ID.*shows only its zone/],
  ],
  'worker-logs': [[script, props({ observability: { enabled: true } }), /invocationLogs: false/]],
  'worker-upload': [
    [script, props({ mainModule: null }), /mainModule/],
    [script, props({ contentFile: '/home/me/worker.js' }), /declares contentFile/],
    [script, binding('REQUIRE_STATE', { text: '' }), /REQUIRE_STATE/],
    [script, binding('FAILED_CALLBACKS', { type: 'json' }), /FAILED_CALLBACKS/],
    [script, props({ tailConsumers: [{ service: 'x' }] }), /declares tailConsumers, which.*Remove it/],
    [pushNames.script, props({ logpush: true }), /declares logpush, which.*Remove it/],
  ],
  'domain-replaced-first': [[domain, options({ deleteBeforeReplace: false }), /deleteBeforeReplace: true/]],
  'hosts-distinct': [
    [domain, props({ hostname: 'home.example.com' }), /dns-record.*another host/],
    [pushNames.domain, props({ hostname: 'home.example.com' }), /dns-record.*another host/],
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

let declared: readonly Declared[] = []
beforeAll(async () => {
  const config = { ...withPush.config, repository: 'acme/people' }
  declared = declaredIn((await runStack({ ...withPush, config })).graph)
})

describe('the policies', () => {
  it.each(['account', 'user'])('hold for the program with tokenOwner %s', async tokenOwner => {
    const optional = {
      graphUrl: 'https://graph.microsoft.com',
      legacyLoginUrl: '/old',
      afterSignInUrl: '/timesheets/',
      appName: 'Timesheets',
    }
    const { graph, succeeded } = await runStack({
      ...withPush,
      config: { ...withPush.config, repository: 'acme/people', tokenOwner, ...optional },
    })
    expect(succeeded).toBe(true)
    expect(judge(declaredIn(graph))).toEqual([])
  })

  it('hold for the clock alone, which binds nothing else', async () => {
    const { graph } = await runStack({ ...withClock, config: { ...withClock.config, signIn: 'none' } })
    const alone = declaredIn(graph)
    expect(judge(alone)).toEqual([])
    const more = bound({ name: 'ZONE_ID', type: 'plain_text', text: '0' })
    const findings = judge(alone.map(one => (one.name === pushNames.script ? more(one) : one)))
    expect(findings.map(({ rule }) => rule)).toContain('push-bindings-exact')
  })

  it.each(cases)('%s reports a %s that breaks it (%#)', (rule, type, change, message) => {
    const target = declared.find(one => (isOfPush(one.name) ? one.name : one.type) === type)
    expect(target).toBeDefined()
    const findings = judge(declared.map(resource => (resource === target ? change(resource) : resource)))
    const found = findings.find(finding => finding.rule === rule)
    expect(found?.resource).toBe(target && change(target).name)
    expect(found?.message).toMatch(message)
    expect(found?.message).toMatch(/\. [A-Z].*\.$/)
  })

  it('keep the hosts of two Workers apart', () => {
    const shared = declared.map(one =>
      one.name === pushNames.domain ? props({ hostname: 'people.example.com' })(one) : one,
    )
    expect(judge(shared)).toEqual([
      {
        rule: 'hosts-distinct',
        resource: expect.any(String),
        message: expect.stringMatching(/another host/),
      },
    ])
  })

  it('judge a first preview too, where the values that the services choose are unknown', async () => {
    const config = { ...withPush.config, repository: 'acme/people' }
    const { graph } = await runStack({ ...withPush, config, preview: true })
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
    expect(judge([...declaredIn(graph), host])).toEqual([])
    const old = 'https://a.example.com/auth/callback'
    const changed = judge([...declaredIn(graph), { ...host, props: { ...host.props, redirectUri: old } }])
    expect(changed.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
      expect.stringMatching(
        /^same-redirects has https:\/\/b\.example\.com\/auth\/callback, which the handler does not/,
      ),
    ])
    // The Worker that the run is about to delete.
    const leaving = declared.filter(({ type }) => type === types.script)
    expect(judge([...declaredIn(graph), host, ...leaving])).toEqual([])
  })

  it('each fail in at least one test', () => {
    const names = [...resourceRules, ...stackRules].map(({ name }) => name)
    expect(new Set(Object.keys(broken))).toEqual(new Set(names))
    expect(new Set(names).size).toBe(names.length)
  })
})

/** Starts the pack as the language host does, and asks which policies it serves. */
async function packInfo(): Promise<AnalyzerInfo.AsObject> {
  const launcher = createRequire(import.meta.url).resolve('@pulumi/pulumi/cmd/run-policy-pack')
  const folder = fileURLToPath(new URL('../../../infra/policy', import.meta.url))
  const child = spawn(process.execPath, [launcher, '127.0.0.1:1', folder], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...compileCache() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data')
    const client = new analyzerRpc.AnalyzerClient(
      `127.0.0.1:${Number.parseInt(String(line), 10)}`,
      grpc.credentials.createInsecure(),
    )
    const info = await new Promise<AnalyzerInfo>((resolve, reject) => {
      client.getAnalyzerInfo(new empty.Empty(), (error, answer) => (error ? reject(error) : resolve(answer)))
    })
    client.close()
    return info.toObject()
  } finally {
    child.kill('SIGKILL')
  }
}

describe('the policy pack', () => {
  it('serves every rule as mandatory, from the unchanged sources', async () => {
    const { name, policiesList } = await packInfo()
    expect(name).toBe('homeport')
    expect(policiesList.map(policy => policy.name).toSorted()).toEqual(
      [...resourceRules, ...stackRules].map(rule => rule.name).toSorted(),
    )
    expect(new Set(policiesList.map(({ enforcementlevel }) => enforcementlevel))).toEqual(new Set([1]))
  })

  it('is pinned to the same library as the tests', () => {
    const [pack, root] = ['infra/policy/package.json', 'package.json'].map(path => JSON.parse(readText(path)))
    expect(pack.dependencies['@pulumi/policy']).toBe(root.dependencies['@pulumi/policy'])
  })
})
