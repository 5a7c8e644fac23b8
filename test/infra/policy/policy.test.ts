import { createRequire } from 'node:module'
import { AnalyzerService } from '@pulumi/pulumi/proto/analyzer_grpc_pb.js'
import messages from '@pulumi/pulumi/proto/analyzer_pb.js'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { fieldOf, listOf } from '../../../infra/json.ts'
import { expectedOf } from '../../../infra/policy/expected.ts'
import type { Declared, Violation } from '../../../infra/policy/rule.ts'
import { judge, judgeStack, resourceRules, stackRule } from '../../../infra/policy/rules.ts'
import { settled } from '../../../infra/policy/shape.ts'
import { types } from '../../../infra/resource-names.ts'
import { unknownValue } from '../../../sandbox/pulumi/wire.ts'
import { declaredIn } from '../../support/declared.ts'
import {
  mintingApiToken,
  policyStack,
  pushHash,
  runStack,
  type StackOptions,
  withClock,
  withoutSignIn,
  withPush,
} from '../support/stacks.ts'

const require = createRequire(import.meta.url)

/** What the policy pack serves. */
const pack = { policies: [] as readonly ServedPolicy[] }
vi.spyOn(require('@pulumi/policy/policy.js'), 'PolicyPack').mockImplementation(
  class {
    constructor(...[, served]: readonly unknown[]) {
      Object.assign(pack, served)
    }
  },
)

type Props = Readonly<Record<string, unknown>>

/** Guards properties as the pack's library does: reading an unknown value throws. */
const { unknownCheckingProxy } = require('@pulumi/policy/proxy.js') as {
  unknownCheckingProxy(props: Props): Props
}

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
const set =
  (changes: Partial<Declared>): Change =>
  resource => ({ ...resource, ...changes })
const from = (...names: readonly string[]): Change => set({ from: names })
const typed = (type: string): Change => set({ type })
const named = (name: string): Change => set({ name })
const policy = (changes: Props): Change =>
  props({
    policies: [{ effect: 'allow', permissionGroups: [{ id: dnsWrite }], resources: ownZone, ...changes }],
  })
const binding =
  (name: string, changes: Props): Change =>
  resource =>
    props({
      bindings: listOf(resource.props['bindings']).map(one =>
        fieldOf(one, 'name') === name ? { ...Object(one), ...changes } : one,
      ),
    })(resource)
const bound =
  (...more: readonly Props[]): Change =>
  resource =>
    props({ bindings: [...listOf(resource.props['bindings']), ...more] })(resource)
/** What the program leaves of a resource that is gone. */
const stash =
  (input: string): Change =>
  resource => ({ ...typed('pulumi:index:Stash')(resource), props: { input } })

const leftUrn = 'urn:pulumi:dev::homeport::a:b::gone'
const dnsWrite = '4755a26eedb94da69e1066d98aa820be'
const userRead = 'e1fe6dd8-ba31-4d61-89e7-88639da4683d'
const other = '1'.repeat(32)
const stranger = '99999999-2222-3333-4444-555555555555'
const zone = 'com.cloudflare.api.account.zone'
const ownZone = `{"${zone}.0123456789abcdef0123456789abcdef":"*"}`
const evil = 'https://evil.example'
const text = (name: string, value: string) => ({ name, type: 'plain_text', text: value })

/** For each rule: the logical name of the resource to change, the change, and what the message must say. */
const broken: Readonly<Record<string, readonly (readonly [string, Change, RegExp])[]>> = {
  'only-declared': [
    ['handler-domain', typed('cloudflare:index/workersRoute:WorkersRoute'), /not a resource that the config/],
    ['minting', typed('pulumi:providers:command'), /not a resource/],
    ['minting', named('spare'), /not a resource/],
    ['dns-token', named('dns-token-0123abcd'), /not a resource/],
    ['sign-in', typed('homeport:infra:Spare'), /not a resource/],
    ['sign-in', named('spare'), /not a resource/],
    ['handler-domain', typed('pulumi:index:Stash'), /input = nothing instead of a URN of what can leave/],
    [
      'handler-domain',
      stash('urn:pulumi:dev::homeport::a:b$c:d/e:DnsRecord::dns-record'),
      /input = something/,
    ],
    ['handler-domain', stash(`urn:pulumi:dev::homeport::a:b::${mintingApiToken}`), /input = something/],
    ['handler-domain', resource => props({ output: 'x' })(stash(leftUrn)(resource)), /output = /],
  ],
  'least-privilege': [
    ['dns-record', props({ name: 'example.com' }), /name = "example.com" instead of "home.example.com"/],
    ['dns-record', props({ priority: 1, settings: { ipv4Only: true } }), /declares "priority"/],
    ['dns-record', options({ ignoreChanges: ['content', 'comment', 'tags', 'ttl'] }), /ignoreChanges/],
    ['dns-record', options({ protect: false }), /protect = false instead of true/],
    ['dns-record', options({ deleteBeforeReplace: false }), /deleteBeforeReplace = false instead of true/],
    ['dns-record', options({ provider: 'minting' }), /provider = "minting" instead of the default one/],
    ['dns-record', options({ provider: 'default_6_22_1_https___evil' }), /instead of the default one/],
    ['dns-record', options({ parent: 'handler' }), /parent = "handler" instead of "dns"/],
    ['dns-token', props({ policies: [{}, {}] }), /policies = something else instead of a list of 1/],
    ['dns-token', policy({ permissionGroups: [{ id: 'a' }] }), /permissionGroups\[0\]\.id = "a"/],
    ['dns-token', policy({ resources: `{"${zone}.*":"*"}` }), /resources = .* instead/],
    ['dns-token', props({ expiresOn: undefined }), /expiresOn = nothing instead of "2099/],
    ['dns-token', props({ condition: { requestIp: { ins: ['0.0.0.0/0'] } } }), /ins\[0\] = "0\.0\.0\.0\/0"/],
    ['dns-token', options({ provider: 'default_6_22_1' }), /provider = "default_6_22_1"/],
    ['dns-token', options({ deleteBeforeReplace: true }), /deleteBeforeReplace = true instead of false/],
    ['push-token', props({ name: 'homeport-dev' }), /name = "homeport-dev" instead of "homeport-dev-push"/],
  ],
  'secret-places': [
    ['minting', props({ baseUrl: evil }), /declares "baseUrl"/],
    ['minting', props({ apiToken: 'another' }), /apiToken = something else/],
    ['repository-provider', props({ baseUrl: evil }), /baseUrl = "https:\/\/evil.example" instead of https:/],
    ['repository-provider', props({ token: 'another' }), /declares "token"/],
    ['repository-token', props({ repository: 'evil' }), /repository = "evil" instead of "people"/],
    ['repository-token', options({ provider: 'default_6_15_0' }), /instead of "repository-provider"/],
    ['repository-homeport-hostname', props({ value: 'the token' }), /value = something else/],
  ],
  registration: [
    [
      'sign-in-registration',
      props({ web: { redirectUris: [`${evil}/auth/callback`] } }),
      /redirectUris\[0\] = "https:..evil/,
    ],
    ['sign-in-registration', props({ owners: [] }), /owners = \[\] instead of the deployer alone/],
    ['sign-in-registration', props({ owners: [stranger, userRead] }), /the deployer alone/],
    ['sign-in-registration', props({ passwords: [{ displayName: 'x' }] }), /declares "passwords"/],
    ['sign-in-principal', props({ owners: [stranger, userRead] }), /the deployer alone/],
    ['sign-in-principal', props({ accountEnabled: false }), /accountEnabled = false/],
    ['sign-in-secret-a', props({ endDate: '2099-01-01T00:00:00Z' }), /endDate = "2099-01-01T00:00:00Z"/],
    ['sign-in-secret-a', options({ deleteBeforeReplace: true }), /deleteBeforeReplace = true/],
  ],
  'workers-exact': [
    [
      'handler-worker',
      binding('CLIENT_SECRET', { type: 'plain_text' }),
      /CLIENT_SECRET\.type = "plain_text"/,
    ],
    ['handler-worker', bound({ name: 'OTHER', type: 'service', service: 'evil' }), /bindings\.OTHER/],
    ['handler-worker', bound(text('ALLOWED_DOMAINS', 'evil.example')), /ALLOWED_DOMAINS 1?\d"/],
    ['handler-worker', bound(text('__proto__', 'x')), /bindings\.__proto__/],
    ['handler-worker', bound({ type: 'service', service: 'evil' }), /declares "bindings\."/],
    ['handler-worker', binding('ALLOWED_DOMAINS', { text: 'evil.example' }), /text = something else/],
    ['handler-worker', binding('SESSION_KEYS', { text: 'known' }), /instead of the secret sessionKeys/],
    ['handler-worker', binding('TENANT_ID', { text: 'evil' }), /the ID of a tenant/],
    ['handler-worker', binding('FAILED_CALLBACKS', { simple: { limit: 9999, period: 10 } }), /limit = 9999/],
    ['handler-worker', options({ additionalSecretOutputs: [] }), /a list with bindings/],
    ['handler-worker', options({ ignoreChanges: [] }), /ignoreChanges = \[\] instead of a list of 1/],
    ['handler-worker', props({ scriptName: 'production' }), /scriptName = "production"/],
    ['handler-worker', props({ content: 'export default 1' }), /content = something else/],
    ['push-worker', props({ contentSha256: 'ab' }), /contentSha256 = "ab"/],
    ['push-worker', binding('API_TOKEN', { type: 'plain_text' }), /API_TOKEN\.type = "plain_text"/],
    ['push-worker', binding('HOSTS', { text: 'x' }), /instead of the secret pushHosts/],
    ['clock-worker', binding('WORKFLOW', { text: 'evil/x/y.yml' }), /WORKFLOW\.text = something else/],
    ['clock-worker', binding('WORKFLOW_TOKEN', { text: 'x' }), /instead of the secret clockToken/],
    ['push-worker', bound(text('BASE_URL', evil)), /bindings\.BASE_URL/],
    ['handler-domain', options({ deleteBeforeReplace: false }), /deleteBeforeReplace = false/],
    ['handler-domain', props({ hostname: 'home.example.com' }), /hostname = "home.example.com" instead/],
    ['clock-trigger', props({ schedules: [{ cron: '* * * * *' }] }), /schedules = something else/],
    ['clock-trigger', props({ schedules: [null] }), /schedules = something else/],
    ['handler-database', options({ protect: false }), /protect = false instead of true/],
    ['handler-database', options({ ignoreChanges: [] }), /a list of 2/],
  ],
  'value-sources': [
    ['repository-token', from(), /takes nothing from dns-token/],
    ['repository-token', from('push-token'), /takes a value from push-token/],
    ['repository-homeport-hostname', from('dns-token'), /takes a value from dns-token/],
    [
      'handler-worker',
      from('sign-in-registration', 'handler-database'),
      /takes nothing from sign-in-secret-[ab]/,
    ],
    ['sign-in-secret-a', from(), /takes nothing from sign-in-registration/],
    ['sign-in-principal', from(), /takes nothing from sign-in-registration/],
    ['handler-domain', from(), /takes nothing from handler-worker/],
    ['handler-domain', props({ service: 'evil' }), /has service that is not scriptName of handler-worker/],
    ['push-domain', props({ service: 'homeport-dev' }), /has service that is not scriptName of push-worker/],
    [
      'clock-trigger',
      props({ scriptName: 'homeport-dev' }),
      /has scriptName that is not scriptName of clock-worker/,
    ],
    ['push-worker', from('dns-token'), /takes nothing from push-token/],
  ],
}
const cases = Object.entries(broken).flatMap(([rule, changes]) =>
  changes.map(change => [rule, ...change] as const),
)

const everything: StackOptions = {
  config: {
    ...withPush.config,
    ...withClock.config,
    repository: 'acme/people',
    tokenExpiresOn: '2099-01-01T00:00:00Z',
    tokenAllowedCidrs: '203.0.113.0/24',
  },
  secrets: { ...withPush.secrets, ...withClock.secrets },
}

/** What may never be in a message. */
const secrets = [mintingApiToken, pushHash, withClock.secrets.clockToken, 'the token', 'known']

let declared: readonly Declared[] = []
beforeAll(async () => {
  declared = declaredIn((await runStack(everything)).graph)
  await import('../../../infra/policy/pack.ts')
})

const judged = (resources: readonly Declared[], stack = everything): readonly Violation[] =>
  judge(resources, policyStack(stack))
const changed = (name: string, change: Change): readonly Declared[] =>
  declared.map(one => (one.name === name ? change(one) : one))

describe('the policies', () => {
  it('are all in the pack, and mandatory', () => {
    const names = [...Object.keys(resourceRules), stackRule.name]
    const policies = names.map(name => expect.objectContaining({ name }))
    expect(pack).toEqual({ enforcementLevel: 'mandatory', policies })
  })

  it('report in the pack what breaks them, with the resource to change, and need the configuration', () => {
    const componentUrn = 'urn:pulumi:dev::homeport::homeport:infra:Component::'
    /** Returns what all policies say of the resources, as the engine shows them, after a change of one. */
    function reported(name: string, change: Change): readonly string[] {
      const said: string[] = []
      const report = (...words: readonly string[]) => void said.push(words.join(' at '))
      const resources = changed(name, change).map(one => {
        const { parent, provider, ...opts } = one.options
        const shown = {
          ...one,
          urn: `urn:${one.name}`,
          opts: { ...opts, ...(parent && { parent: parent.replace(/^(?!urn:)/, componentUrn) }) },
        }
        return provider ? { ...shown, provider: { name: provider } } : shown
      })
      const dependencies = ({ from: names }: Declared) => ({ all: (names ?? []).map(one => ({ name: one })) })
      for (const { validateResource, validateStack } of pack.policies) {
        for (const one of resources) validateResource?.(one, report)
        const whole = resources.map(one => ({ ...one, propertyDependencies: dependencies(one) }))
        validateStack?.({ resources: whole }, report)
      }
      return said
    }
    expect(() => reported('', props({}))).toThrow(/The engine gave no configuration/)
    const { project, name, config } = policyStack(everything)
    const request = new messages.AnalyzerStackConfigureRequest().setProject(project).setStack(name)
    for (const [key, value] of config) request.getConfigMap().set(key, value)
    const bytes = Buffer.from(request.serializeBinary())
    AnalyzerService.configureStack.requestDeserialize(bytes)
    expect(reported('', props({}))).toEqual([])
    expect(reported('dns-record', props({ settings: {} }))).toEqual([])
    expect(reported('dns-token', options({ provider: 'default_6_22_1' }))).toEqual([
      expect.stringMatching(
        /^dns-token has the options\.provider = "default_6_22_1" instead of "minting"\. /,
      ),
    ])
    // Below another parent, a second one could have the same name.
    for (const type of ['pulumi:index:Stash', 'homeport:infra:DynamicDns$homeport:infra:SignInApp']) {
      const parent = `urn:pulumi:dev::homeport::${type}::sign-in`
      expect(reported('sign-in-secret-a', options({ parent }))).toEqual([
        expect.stringMatching(/^sign-in-secret-a has the options\.parent = "urn:.* instead of "sign-in"\. /),
      ])
    }
    expect(reported('handler-domain', props({ service: 'evil' }))).toEqual([
      expect.stringMatching(/^handler-domain has service .* at urn:handler-domain$/),
    ])
  })

  it('hold for the clock alone, which has no token and no host', async () => {
    const alone = {
      config: { ...withoutSignIn.config, ...withClock.config },
      secrets: { ...withoutSignIn.secrets, ...withClock.secrets },
    }
    const resources = declaredIn((await runStack(alone)).graph)
    expect(judged(resources, alone)).toEqual([])
  })

  it.each(cases)('%s reports a changed %s (%#)', (rule, name, change, message) => {
    const target = declared.find(one => one.name === name)
    expect(target).toBeDefined()
    const found = judged(changed(name, change)).filter(
      one => one.rule === rule && one.resource.name === (target && change(target).name),
    )
    expect(found.map(one => one.message).join('\n')).toMatch(message)
    for (const one of found) expect(one.message).toMatch(/\. [A-Z].*\.$/)
    for (const secret of secrets) expect(JSON.stringify(found.map(one => one.message))).not.toContain(secret)
  })

  it('accept what providers add by themselves', () => {
    const noted = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(noted)
      if (typeof value !== 'object' || value === null) return value
      return {
        __defaults: ['oauth2PostResponseRequired'],
        ...Object.fromEntries(Object.entries(value).map(([key, one]) => [key, noted(one)])),
      }
    }
    const added = declared.map(one =>
      one.type.startsWith('azuread:') ? props(noted(one.props) as Props)(one) : one,
    )
    const minting = declared.find(({ name }) => name === 'minting')
    if (!minting) throw new Error('Nothing declares the provider.')
    const version = '6.9.1'
    const ofEngine = (given: Props): Declared => ({
      ...named('default_6_9_1')(typed('pulumi:providers:azuread')(minting)),
      options: { ...minting.options, parent: '' },
      props: { ...given, version },
    })
    const judgedWith = (given: Props) => judged([...added, ofEngine(given)])
    expect(judgedWith({ environment: 'public', useMsi: 'false' })).toEqual([])
    expect(judgedWith({ environment: 'china' }).map(({ rule }) => rule)).toEqual(['only-declared'])
  })

  it('judge a first preview too, where the values that the services choose are unknown', async () => {
    const { graph } = await runStack({ ...everything, preview: true })
    const guarded = declaredIn(graph).map(one => ({ ...one, props: unknownCheckingProxy(one.props) }))
    expect(JSON.stringify(declaredIn(graph))).toContain(unknownValue)
    const script = guarded.find(({ name }) => name === 'handler-worker')
    const texts = () => listOf(script?.props['bindings']).map(one => fieldOf(one, 'text'))
    expect(texts).toThrow(/can't be known during preview/)
    const previewed = guarded.map(one => ({ ...one, props: Object(settled(one.props)) }))
    expect(judged(previewed)).toEqual([])
    // What is known beside it is judged.
    const wrong = [binding('REDIRECT_URI', { text: evil }), props({ accountId: other })]
    for (const change of wrong) {
      const resources = previewed.map(one => (one.name === 'handler-worker' ? change(one) : one))
      expect(judged(resources).map(({ rule }) => rule)).toEqual(['workers-exact'])
    }
  })

  it('compare outputs with what they are used for, once a run knows them', () => {
    const withOutputs = (name: string, outputs: Props) => (one: Declared) =>
      one.name === name ? props(outputs)(one) : one
    const known = declared
      .map(withOutputs('dns-token', { value: 'a' }))
      .map(withOutputs('repository-token', { value: 'a' }))
    const expected = expectedOf(policyStack(everything))
    // Of that name, too, is the token of another owner, which the run is about to delete.
    const leaving = known
      .filter(({ name }) => name === 'dns-token')
      .map(one => typed(one.type === types.userToken ? types.accountToken : types.userToken)(one))
      .map(props({ value: 'old' }))
    expect(judgeStack([...leaving, ...known], expected)).toEqual([])
    const wrong = judgeStack(known.map(withOutputs('repository-token', { value: 'b' })), expected)
    expect(wrong.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^has value that is not value of dns-token\. /),
    ])
  })

  it('hold for a list of owners, exactly', () => {
    const found = judged(declared, {
      ...everything,
      config: { ...everything.config, ownerObjectIds: stranger },
    })
    expect(found.map(({ resource }) => resource.name)).toEqual(['sign-in-registration', 'sign-in-principal'])
    expect(found[0]?.message).toMatch(/instead of the list of ownerObjectIds/)
  })

  it('compare the registration and the outputs of a stack whose handler is on a host', async () => {
    const host = { config: { signIn: 'host', publicOrigin: 'https://a.example.com,https://b.example.com' } }
    const { graph, outputs } = await runStack(host)
    // The Worker that the run is about to delete.
    const leaving = declared.filter(({ type }) => type === types.script)
    const withOutputs = (changes: Props) =>
      declaredIn(graph).map(one =>
        one.type === 'pulumi:pulumi:Stack' ? props({ ...outputs.value, ...changes })(one) : one,
      )
    const said = (changes: Props) => judged(withOutputs(changes), host).map(({ message }) => message)
    expect(said({})).toEqual([])
    const left = judgeStack([...withOutputs({}), ...leaving.map(from())], expectedOf(policyStack(host)))
    expect(left).toEqual([])
    expect(said({ redirectUri: evil })).toEqual([expect.stringMatching(/^has the output redirectUri = /)])
    const settings = JSON.parse(String(outputs.value['handlerSettings']))
    for (const change of [{ INSTANCE: evil }, { SESSION_KEYS: 'known' }]) {
      const [message, ...rest] = said({ handlerSettings: JSON.stringify({ ...settings, ...change }) })
      expect(message).toContain(`the output handlerSettings.${Object.keys(change)[0]}`)
      expect(message).not.toMatch(/evil|known/)
      expect(rest).toEqual([])
    }
  })

  it('follow the environment of the run where the configuration says nothing', () => {
    const env = { ARM_TENANT_ID: stranger, GITHUB_BASE_URL: 'https://github.example/' }
    const own = changed('repository-provider', props({ baseUrl: env.GITHUB_BASE_URL }))
    const found = judge(own, { ...policyStack(everything), env })
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^has bindings\.TENANT_ID\.text = .* instead of the tenant 99999999-/),
    ])
  })

  it('refuse a configuration that is wrong, such as one with an address that no cloud has', () => {
    const wrong = { ...everything, config: { ...everything.config, instance: evil } }
    expect(() => judged(declared, wrong)).toThrow(/cannot read the configuration of dev: .*instance is not/)
  })
})
