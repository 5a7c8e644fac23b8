import { isGuid } from '../../src/settings/guid.ts'
import { clockBindings } from '../resources/clock-bindings.ts'
import { type HandlerValues, handlerTexts } from '../resources/handler-texts.ts'
import { pushBindings } from '../resources/push-bindings.ts'
import {
  passwordArguments,
  principalArguments,
  registrationArguments,
} from '../resources/registration-arguments.ts'
import { dnsWrite, type TokenLimits, tokenArguments, tokenNameOf } from '../resources/token-policy.ts'
import {
  type DomainPlace,
  databaseArguments,
  domainArguments,
  scriptArguments,
} from '../resources/worker-arguments.ts'
import { type Binding, handlerBindings } from '../resources/worker-bindings.ts'
import type { WorkerBundle } from '../resources/worker-bundle.ts'
import { handedOverVariables, variableNameOf } from '../settings/handed-over.ts'
import { secretKeys } from '../settings/keys.ts'
import {
  type HandOver,
  type RecordSettings,
  readStackSettings,
  type SignInSettings,
  type StackSettings,
  type WorkerSettings,
} from '../settings/stack-settings.ts'
import {
  clientSecretName,
  clockComponent,
  clockCrons,
  cloudflareUrl,
  handedOver,
  keptInputs,
  ownedByOthers,
  pushComponent,
  pushNameOf,
  pushNames,
  recordArguments,
  recordNameOf,
  serviceNameOf,
  types,
} from '../stack-facts.ts'
import type { Stack } from './rule.ts'
import { type Shapes, Wanted } from './shape.ts'

/** What a resource has to be. */
export interface Expectation {
  readonly rule: 'only-declared' | 'least-privilege' | 'secret-places' | 'registration' | 'workers-exact'
  readonly options: Shapes
  readonly props: Shapes
}

/** What the configuration calls for. */
export interface Expected {
  /** By `TYPE NAME`, or `TYPE *` for any name. */
  readonly resources: Readonly<Record<string, Expectation>>
  /** Those of the stack that a handler on a host uses. */
  readonly outputs: Shapes
}

const guid = new Wanted('the ID of a tenant', value => typeof value === 'string' && isGuid(value))
const anything = new Wanted('any value', () => true)
const optional = (wanted: string | boolean) =>
  new Wanted(`${wanted} or nothing`, value => value === undefined || value === wanted)
const matching = (title: string, pattern: RegExp) =>
  new Wanted(title, value => typeof value === 'string' && pattern.test(value))

/** An output of other resources, separated by commas. Only the whole stack tells which text it is. */
const outputOf = (output: string, ...sources: readonly string[]) =>
  new Wanted(`${output} of ${sources.join(' and ')}`, value => typeof value === 'string', sources, output)

interface Options {
  /** Without it, the engine's own one. */
  readonly provider?: string
  readonly protect?: true
  readonly deleteBeforeReplace?: boolean
  readonly ignoreChanges?: readonly string[]
  readonly secretOutput?: string
}

function entry(
  rule: Expectation['rule'],
  parent: string,
  type: string,
  name: string,
  props: Shapes,
  { provider, protect, deleteBeforeReplace = false, ignoreChanges = [], secretOutput }: Options = {},
): readonly [string, Expectation] {
  const areSecret = (value: unknown) => Array.isArray(value) && value.includes(secretOutput)
  const options = {
    parent,
    provider: type.startsWith('pulumi:providers:')
      ? anything
      : (provider ?? matching('the default one', defaultProvider)),
    protect: protect ?? anything,
    deleteBeforeReplace,
    ignoreChanges: ignoreChanges.toSorted(),
    additionalSecretOutputs: secretOutput ? new Wanted(`a list with ${secretOutput}`, areSecret) : anything,
  }
  return [`${type} ${name}`, { rule, options, props }]
}
type Entry = ReturnType<typeof entry>

/** The engine's own provider, such as `default_6_22_1`. With another source of its plugin, it has that in its name. */
export const defaultProvider = /^default(_\d+)*$/

/**
 * Returns what the configuration calls for.
 * @throws Error if it is wrong
 */
export function expectedOf(stack: Stack): Expected {
  const reading = readStackSettings(stack.config, Date.now(), secretKeys)
  if ('problems' in reading)
    throw new Error(
      `The policies cannot read the configuration of ${stack.name}: ${reading.problems.join(' ')}`,
    )
  const settings = reading.value
  const { record, signIn } = settings
  const resources = [
    ...engineEntries(stack),
    ...(record ? recordEntries(stack, settings, record) : []),
    ...(signIn ? registrationEntries(signIn) : []),
    ...(signIn?.worker ? handlerEntries(stack, signIn, signIn.worker) : []),
    ...pushEntries(stack, settings),
    ...clockEntries(stack, settings),
  ]
  const isOnHost = signIn && !signIn.worker
  const outputs = isOnHost
    ? {
        redirectUri: signIn.redirectUris.join(','),
        handlerSettings: handlerTexts<Wanted>(signIn, handlerValues(stack, signIn)),
      }
    : {}
  return { resources: Object.fromEntries(resources), outputs }
}

const rootOf = ({ project, name }: Stack): string => `${project}-${name}`

/** A secret of the configuration. */
function secretOf({ project, config }: Stack, key: string): Wanted {
  const secret = config.get(`${project}:${key}`)?.trim()
  return new Wanted(`the secret ${key}`, value => value === secret)
}

/** What the engine declares: its providers, with the configuration, and what departed-resources.ts leaves of a resource. */
function engineEntries(stack: Stack): readonly Entry[] {
  const root = rootOf(stack)
  // The schema of @pulumi/azuread has these defaults.
  const { ARM_ENVIRONMENT, ARM_MSI_ENDPOINT, ARM_USE_MSI } = stack.env
  const added = {
    environment: optional(ARM_ENVIRONMENT || 'public'),
    msiEndpoint: optional(ARM_MSI_ENDPOINT ?? ''),
    useMsi: optional(ARM_USE_MSI || 'false'),
  }
  const providers = ['cloudflare', 'azuread', 'pulumi'].map(name => {
    const config = [...stack.config].filter(([key]) => key.startsWith(`${name}:`))
    const props = Object.fromEntries(
      config.map(([key, text]) => [key.slice(name.length + 1), optional(text)]),
    )
    const given = { ...(name === 'azuread' && added), ...props, version: anything }
    return entry('only-declared', '', `pulumi:providers:${name}`, 'default', given)
  })
  const urn = matching(
    'a URN of what can leave',
    new RegExp(`^urn:pulumi:${stack.name}::${stack.project}::(?!.*:DnsRecord::)`),
  )
  return [
    ...providers,
    entry('only-declared', root, 'pulumi:index:Stash', '*', { input: urn, output: anything }),
  ]
}

function recordEntries(stack: Stack, settings: StackSettings, record: RecordSettings): readonly Entry[] {
  const { zoneId, plans, token, handOver } = record
  const baseUrl = stack.config.get('cloudflare:baseUrl')
  const minting = {
    apiToken: secretOf(stack, 'mintingApiToken'),
    ...(baseUrl ? { baseUrl } : {}),
    version: anything,
  }
  const options = { protect: true, deleteBeforeReplace: true, ignoreChanges: ownedByOthers } as const
  return [
    entry('secret-places', rootOf(stack), 'pulumi:providers:cloudflare', 'minting', minting),
    ...plans.map((plan, index) => {
      const ofOthers = Object.fromEntries(ownedByOthers.map(name => [name, anything]))
      const props = { ...recordArguments(zoneId, plan), ...ofOthers }
      return entry('least-privilege', 'dns', types.record, recordNameOf('dns', plan, index), props, options)
    }),
    tokenEntry('dns', serviceNameOf(stack.name), settings, record, token),
    ...(handOver ? handOverEntries(stack, record, handOver) : []),
  ]
}

/** @param limits of this token: the endpoint's has others than the records' */
function tokenEntry(
  component: string,
  name: string,
  { accountId }: StackSettings,
  { zoneId, token: { owner, rotation } }: RecordSettings,
  limits: TokenLimits,
): Entry {
  const [type, place] =
    owner === 'account' ? [types.accountToken, { accountId: accountId ?? '' }] : [types.userToken, {}]
  const props = { ...tokenArguments(name, zoneId, limits, dnsWrite.id), ...place }
  const logicalName = tokenNameOf(`${component}-token`, rotation)
  return entry('least-privilege', component, type, logicalName, props, { provider: 'minting' })
}

function handOverEntries(
  { config, env }: Stack,
  record: RecordSettings,
  { owner, ...place }: HandOver,
): readonly Entry[] {
  const declare = entry.bind(null, 'secret-places', 'repository')
  const provider = 'repository-provider'
  const token = config.get('github:token')
  const access = {
    owner,
    baseUrl: optional(config.get('github:baseUrl') ?? (env['GITHUB_BASE_URL'] || 'https://api.github.com/')),
    ...(token ? { token: new Wanted('the secret github:token', value => value === token) } : {}),
    version: anything,
  }
  const value = outputOf('value', tokenNameOf('dns-token', record.token.rotation))
  // Either name can have it: see `handedOverField`.
  const either = new Wanted(
    value.title,
    found => found === undefined || value.fits(found),
    value.sources,
    'value',
  )
  const secret = { ...place, secretName: handedOver.token, value: either, plaintextValue: either }
  return [
    declare('pulumi:providers:github', provider, access),
    declare(types.environmentSecret, 'repository-token', secret, { provider }),
    ...Object.entries(handedOverVariables(record)).map(([variableName, text]) => {
      const props = { ...place, variableName, value: text }
      return declare(types.environmentVariable, variableNameOf('repository', variableName), props, {
        provider,
      })
    }),
  ]
}

/** Returns the handler's values that the configuration does not tell. */
function handlerValues(stack: Stack, { clientSecrets }: SignInSettings): HandlerValues<Wanted> {
  const tenant = stack.config.get('azuread:tenantId') ?? stack.env['ARM_TENANT_ID'] ?? ''
  const secrets = clientSecrets.map(({ slot }) => clientSecretName(slot))
  return {
    tenantId: isGuid(tenant) ? matching(`the tenant ${tenant}`, new RegExp(`^${tenant}$`, 'i')) : guid,
    clientId: outputOf('clientId', 'sign-in-registration'),
    clientSecrets: outputOf('value', ...secrets),
    sessionKeys: secretOf(stack, 'sessionKeys'),
  }
}

function registrationEntries(settings: SignInSettings): readonly Entry[] {
  const declare = entry.bind(null, 'registration', 'sign-in')
  const listed = settings.ownerObjectIds?.toSorted()
  // Without a list, the deployer owns it alone, whom the configuration does not name.
  const areOwners = (value: unknown) =>
    Array.isArray(value) &&
    (listed ? JSON.stringify(value.toSorted()) === JSON.stringify(listed) : value.length === 1)
  const owners = new Wanted(listed ? 'the list of ownerObjectIds' : 'the deployer alone', areOwners)
  const principal = {
    ...principalArguments(settings, owners),
    clientId: outputOf('clientId', 'sign-in-registration'),
    // The provider adds it.
    accountEnabled: optional(true),
  }
  return [
    declare(types.application, 'sign-in-registration', registrationArguments(settings, owners)),
    declare(types.principal, 'sign-in-principal', principal),
    ...settings.clientSecrets.map(plan => {
      const props = {
        ...passwordArguments(plan),
        applicationId: outputOf('objectId', 'sign-in-registration'),
      }
      return declare(types.password, clientSecretName(plan.slot), props)
    }),
  ]
}

function handlerEntries(stack: Stack, settings: SignInSettings, worker: WorkerSettings): readonly Entry[] {
  const { accountId } = worker
  const kept = Object.fromEntries(keptInputs.database.map(name => [name, anything]))
  const database = { ...databaseArguments(accountId, '', null), ...kept }
  const values = { ...handlerValues(stack, settings), databaseId: outputOf('id', 'handler-database') }
  return [
    entry('workers-exact', 'handler', types.database, 'handler-database', database, {
      protect: true,
      ignoreChanges: keptInputs.database,
    }),
    workerEntry('handler', accountId, handlerBindings<Wanted>(settings, values), stack.readBundle('worker')),
    domainEntry('handler', worker),
  ]
}

function workerEntry(
  component: string,
  accountId: string,
  bindings: readonly Binding<Wanted | string>[],
  bundle: WorkerBundle,
): Entry {
  const script = {
    ...scriptArguments(accountId, bindings),
    // Kept when a stack is renamed.
    scriptName: matching(`a name that begins with ${serviceNameOf('')}`, new RegExp(`^${serviceNameOf('')}`)),
    content: new Wanted('the Worker of npm run build', value => value === bundle.content),
    contentSha256: bundle.sha256,
    // The provider adds it.
    usageModel: optional('standard'),
  }
  const options = { secretOutput: 'bindings', ignoreChanges: keptInputs.script }
  return entry('workers-exact', component, types.script, `${component}-worker`, script, options)
}

function domainEntry(component: string, place: DomainPlace): Entry {
  const props = { ...domainArguments(place), service: outputOf('scriptName', `${component}-worker`) }
  return entry('workers-exact', component, types.domain, `${component}-domain`, props, {
    deleteBeforeReplace: true,
  })
}

function pushEntries(stack: Stack, settings: StackSettings): readonly Entry[] {
  const { record, push } = settings
  if (!push || !record) return []
  const { accountId, zoneId } = push
  const baseUrl =
    stack.config.get('cloudflare:baseUrl') ?? (stack.env['CLOUDFLARE_BASE_URL'] || cloudflareUrl)
  const bindings = pushBindings<Wanted>(zoneId, baseUrl, {
    apiToken: outputOf('value', tokenNameOf(pushNames.token, record.token.rotation)),
    hosts: secretOf(stack, 'pushHosts'),
  })
  // A Worker has no address of its own.
  const limits = { ...record.token, allowedCidrs: [] }
  return [
    tokenEntry(pushComponent, pushNameOf(stack.name), settings, record, limits),
    workerEntry(pushComponent, accountId, bindings, stack.readBundle('push-worker')),
    domainEntry(pushComponent, push),
    triggerEntry(pushComponent, accountId, []),
  ]
}

function clockEntries(stack: Stack, { clock, accountId }: StackSettings): readonly Entry[] {
  if (clock === null || accountId === null) return []
  const bindings = clockBindings<Wanted>(clock, secretOf(stack, 'clockToken'))
  return [
    workerEntry(clockComponent, accountId, bindings, stack.readBundle('clock-worker')),
    triggerEntry(clockComponent, accountId, clockCrons),
  ]
}

/** @param crons one of which fires it; empty if nothing may */
function triggerEntry(component: string, accountId: string, crons: readonly string[]): Entry {
  const schedules = crons.length === 0 ? [[]] : crons.map(cron => [{ cron }])
  const areSchedules = (value: unknown) =>
    schedules.some(one => JSON.stringify(one) === JSON.stringify(value))
  return entry('workers-exact', component, types.trigger, `${component}-trigger`, {
    accountId,
    schedules: new Wanted(crons.length === 0 ? 'no schedule' : 'one of clockCrons', areSchedules),
    scriptName: outputOf('scriptName', `${component}-worker`),
  })
}
