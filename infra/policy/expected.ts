import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { isGuid } from '../../lib/settings/readers.ts'
import { listOf } from '../json.ts'
import {
  certificateName,
  clientSecretName,
  clockComponent,
  pushComponent,
  pushNameOf,
  pushNames,
  recordNameOf,
  serviceNameOf,
  tokenNameOf,
  types,
} from '../resource-names.ts'
import { clockBindings, clockCrons } from '../resources/clock-bindings.ts'
import { type HandlerValues, handlerSettingsOf } from '../resources/handler-settings.ts'
import { pushBindings } from '../resources/push-bindings.ts'
import { ownedByOthers, recordArguments } from '../resources/record-arguments.ts'
import {
  certificateArguments,
  passwordArguments,
  principalArguments,
  registrationArguments,
} from '../resources/registration-arguments.ts'
import { dnsWrite, type TokenLimits, tokenArguments } from '../resources/token-policy.ts'
import { databaseArguments, keptInputs, scriptArguments } from '../resources/worker-arguments.ts'
import { type Binding, handlerBindings } from '../resources/worker-bindings.ts'
import { handedOver, handedOverVariables, variableNameOf } from '../settings/handed-over.ts'
import { secretKeys } from '../settings/keys.ts'
import { readStackSettings } from '../settings/read.ts'
import {
  certificateKeys,
  type RecordSettings,
  type SignInSettings,
  type StackSettings,
} from '../settings/stack-settings.ts'
import type { Stack } from './rule.ts'
import { type Shape, type Shapes, Wanted } from './shape.ts'

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

const anything = new Wanted('any value', () => true)
const optional = (wanted: string | boolean) =>
  new Wanted(`${wanted} or nothing`, value => value === undefined || value === wanted)
const matching = (title: string, pattern: RegExp) =>
  new Wanted(title, value => typeof value === 'string' && pattern.test(value))
const anythingFor = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, anything]))

/** An output of other resources, separated by commas. Only the whole stack tells which text it is. */
const outputOf = (output: string, ...sources: readonly string[]) =>
  new Wanted(
    `${output} of ${sources.join(' and ')}`,
    value => value === undefined || typeof value === 'string',
    sources,
    output,
  )

/** The engine's own provider, such as `default_6_22_1`. With another source of its plugin, it has that in its name. */
export const defaultProvider = /^default(_\d+)*$/

/** @param options that the program gives it, besides the usual ones */
function entry(
  rule: Expectation['rule'],
  parent: string,
  type: string,
  name: string,
  props: Shapes,
  options: Shapes = {},
): readonly [string, Expectation] {
  const usual = {
    parent,
    provider: matching('the default one', defaultProvider),
    protect: anything,
    deleteBeforeReplace: false,
    ignoreChanges: [],
    additionalSecretOutputs: anything,
  }
  return [`${type} ${name}`, { rule, options: { ...usual, ...options }, props }]
}
type Entries = readonly ReturnType<typeof entry>[]

/** A provider has no other one. */
const ofProvider = { provider: anything }

/** Secrets are compared, and not read, except certificates, whose resources follow from them. */
const withheld = secretKeys.filter(key => !certificateKeys.some(one => one === key))

/**
 * Returns what the configuration calls for.
 * @throws Error if it is wrong
 */
export function expectedOf(stack: Stack): Expected {
  const reading = readStackSettings(stack.config, Date.now(), withheld)
  if ('problems' in reading)
    throw new Error(
      `The policies cannot read the configuration of ${stack.name}: ${reading.problems.join(' ')}`,
    )
  const settings = reading.value
  const { signIn } = settings
  const parts = [
    recordEntries,
    handOverEntries,
    registrationEntries,
    handlerEntries,
    pushEntries,
    clockEntries,
  ]
  const resources = [...engineEntries(stack), ...parts.flatMap(part => part(stack, settings))]
  const isOnHost = signIn && !signIn.worker
  const outputs = isOnHost
    ? {
        redirectUri: signIn.redirectUris.join(','),
        handlerSettings: handlerSettingsOf<Wanted>(signIn, handlerValues(stack, signIn)),
      }
    : {}
  return { resources: Object.fromEntries(resources), outputs }
}

const rootOf = ({ project, name }: Stack): string => `${project}-${name}`

const keyOf = ({ project }: Stack, key: string): string => (key.includes(':') ? key : `${project}:${key}`)

/** A secret of the configuration. */
function secretOf(stack: Stack, key: string): Wanted {
  const secret = stack.config.get(keyOf(stack, key))?.trim()
  return new Wanted(`the secret ${key}`, value => value === secret)
}

/** What the engine declares: its providers, with the configuration, and what departed-resources.ts leaves of a resource. */
function engineEntries(stack: Stack): Entries {
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
    const given = config.map(([key, text]) => [key.slice(name.length + 1), optional(text)] as const)
    const props = { ...(name === 'azuread' && added), ...Object.fromEntries(given), version: anything }
    return entry('only-declared', '', `pulumi:providers:${name}`, 'default', props, ofProvider)
  })
  const urn = new RegExp(`^urn:pulumi:${stack.name}::${stack.project}::(?!.*:DnsRecord::)`)
  const secrets = secretKeys.flatMap(key => stack.config.get(keyOf(stack, key)) || [])
  const input = new Wanted(
    'a URN of what can leave',
    value => typeof value === 'string' && urn.test(value) && !secrets.some(secret => value.includes(secret)),
  )
  const output = new Wanted('its input', value => value === undefined || input.fits(value))
  return [...providers, entry('only-declared', root, 'pulumi:index:Stash', '*', { input, output })]
}

function recordEntries(stack: Stack, settings: StackSettings): Entries {
  const { zoneId, record } = settings
  if (!record) return []
  const baseUrl = stack.config.get('cloudflare:baseUrl')
  const minting = {
    apiToken: secretOf(stack, 'mintingApiToken'),
    ...(baseUrl ? { baseUrl } : {}),
    version: anything,
  }
  const options = { protect: true, deleteBeforeReplace: true, ignoreChanges: ownedByOthers.toSorted() }
  return [
    entry('secret-places', rootOf(stack), 'pulumi:providers:cloudflare', 'minting', minting, ofProvider),
    ...record.plans.map((plan, index) => {
      const props = { ...recordArguments(zoneId, plan), ...anythingFor(ownedByOthers) }
      return entry('least-privilege', 'dns', types.record, recordNameOf('dns', plan, index), props, options)
    }),
    tokenEntry('dns', serviceNameOf(stack.name), settings, record, record.token),
  ]
}

/** @param limits of this token: the endpoint's has others than the records' */
function tokenEntry(
  component: string,
  name: string,
  { accountId, zoneId }: StackSettings,
  { token: { owner, rotation } }: RecordSettings,
  limits: TokenLimits,
) {
  const [type, place] = owner === 'account' ? [types.accountToken, { accountId }] : [types.userToken, {}]
  const props = { ...tokenArguments(name, zoneId, limits, dnsWrite.id), ...place }
  const logicalName = tokenNameOf(`${component}-token`, rotation)
  return entry('least-privilege', component, type, logicalName, props, { provider: 'minting' })
}

function handOverEntries(stack: Stack, { zoneId, record }: StackSettings): Entries {
  if (!record?.handOver) return []
  const { config, env } = stack
  const { owner, ...place } = record.handOver
  const declare = entry.bind(null, 'secret-places', 'repository')
  const options = { provider: 'repository-provider' }
  const access = {
    owner,
    baseUrl: optional(config.get('github:baseUrl') ?? (env['GITHUB_BASE_URL'] || 'https://api.github.com/')),
    ...(config.get('github:token') ? { token: secretOf(stack, 'github:token') } : {}),
    version: anything,
  }
  // Either name can have it: see `handedOverField`.
  const value = outputOf('value', tokenNameOf('dns-token', record.token.rotation))
  const secret = { ...place, secretName: handedOver.token, value, plaintextValue: value }
  return [
    declare('pulumi:providers:github', options.provider, access, ofProvider),
    declare(types.environmentSecret, 'repository-token', secret, options),
    ...Object.entries(handedOverVariables(zoneId, record)).map(([variableName, text]) => {
      const props = { ...place, variableName, value: text }
      return declare(types.environmentVariable, variableNameOf('repository', variableName), props, options)
    }),
  ]
}

/** Returns the handler's values that the configuration does not tell. */
function handlerValues(stack: Stack, { clientSecrets, certificates }: SignInSettings): HandlerValues<Wanted> {
  const tenant = stack.config.get('azuread:tenantId') ?? stack.env['ARM_TENANT_ID'] ?? ''
  const guid = new Wanted('the ID of a tenant', value => typeof value === 'string' && isGuid(value))
  const secrets = clientSecrets.map(({ slot }) => clientSecretName(slot))
  const [clientCertificate, clientCertificateNext] = certificates.map(({ key }) => secretOf(stack, key))
  return {
    tenantId: isGuid(tenant) ? matching(`the tenant ${tenant}`, new RegExp(`^${tenant}$`, 'i')) : guid,
    clientId: outputOf('clientId', 'sign-in-registration'),
    clientSecrets: outputOf('value', ...secrets),
    sessionKeys: secretOf(stack, 'sessionKeys'),
    clientCertificate,
    clientCertificateNext,
  }
}

function registrationEntries(_: Stack, { signIn }: StackSettings): Entries {
  if (!signIn) return []
  const declare = entry.bind(null, 'registration', 'sign-in')
  // Without a list, the deployer owns it alone, whom the configuration does not name.
  const listed = signIn.ownerObjectIds
  const owners = new Wanted(listed ? 'the list of ownerObjectIds' : 'the deployer alone', value =>
    listed ? listOf(value).toSorted().join() === listed.toSorted().join() : listOf(value).length === 1,
  )
  const principal = {
    ...principalArguments(signIn, owners),
    clientId: outputOf('clientId', 'sign-in-registration'),
    // The provider adds it.
    accountEnabled: optional(true),
  }
  const applicationId = outputOf('objectId', 'sign-in-registration')
  return [
    declare(types.application, 'sign-in-registration', registrationArguments(signIn, owners)),
    declare(types.principal, 'sign-in-principal', principal),
    ...signIn.certificates.map(plan =>
      declare(types.certificate, certificateName(plan.der), { ...certificateArguments(plan), applicationId }),
    ),
    ...signIn.clientSecrets.map(plan =>
      declare(types.password, clientSecretName(plan.slot), { ...passwordArguments(plan), applicationId }),
    ),
  ]
}

function handlerEntries(stack: Stack, settings: StackSettings): Entries {
  const { accountId, signIn } = settings
  if (!signIn?.worker) return []
  const database = { ...databaseArguments(accountId, '', null), ...anythingFor(keptInputs.database) }
  const values = { ...handlerValues(stack, signIn), databaseId: outputOf('id', 'handler-database') }
  const options = { protect: true, ignoreChanges: keptInputs.database.toSorted() }
  return [
    entry('workers-exact', 'handler', types.database, 'handler-database', database, options),
    ...workerEntries(stack, settings, 'handler', handlerBindings<Wanted>(signIn, values), signIn.worker.host),
  ]
}

/** @param host that it serves; null for none */
function workerEntries(
  stack: Stack,
  { accountId, zoneId }: StackSettings,
  component: 'handler' | 'push' | 'clock',
  bindings: readonly Binding<Wanted | string>[],
  host: string | null,
): Entries {
  const declare = entry.bind(null, 'workers-exact', component)
  const bundle = stack.readBundle(component === 'handler' ? 'worker' : `${component}-worker`)
  const script = {
    ...scriptArguments(accountId, bindings),
    // Kept when a stack is renamed.
    scriptName: matching(`a name that begins with ${serviceNameOf('')}`, new RegExp(`^${serviceNameOf('')}`)),
    content: new Wanted('the Worker of npm run build', value => value === bundle.content),
    contentSha256: bundle.sha256,
    // The provider adds it.
    usageModel: optional('standard'),
  }
  const secret = new Wanted('a list with bindings', value => listOf(value).includes('bindings'))
  const service = outputOf('scriptName', `${component}-worker`)
  const domain = host && { accountId, zoneId, hostname: host, service }
  return [
    declare(types.script, `${component}-worker`, script, {
      ignoreChanges: keptInputs.script,
      additionalSecretOutputs: secret,
    }),
    ...(domain ? [declare(types.domain, `${component}-domain`, domain, { deleteBeforeReplace: true })] : []),
  ]
}

function pushEntries(stack: Stack, settings: StackSettings): Entries {
  const { accountId, zoneId, record, push } = settings
  if (!push || !record) return []
  const baseUrl =
    stack.config.get('cloudflare:baseUrl') ?? (stack.env['CLOUDFLARE_BASE_URL'] || cloudflareApiUrl)
  const bindings = pushBindings<Wanted>(zoneId, baseUrl, {
    apiToken: outputOf('value', tokenNameOf(pushNames.token, record.token.rotation)),
    hosts: secretOf(stack, 'pushHosts'),
  })
  // A Worker has no address of its own.
  const limits = { ...record.token, allowedCidrs: [] }
  return [
    tokenEntry(pushComponent, pushNameOf(stack.name), settings, record, limits),
    ...workerEntries(stack, settings, pushComponent, bindings, push.host),
    triggerEntry(pushComponent, accountId, []),
  ]
}

function clockEntries(stack: Stack, settings: StackSettings): Entries {
  const { accountId, clock } = settings
  if (clock === null) return []
  const bindings = clockBindings<Wanted>(clock, secretOf(stack, 'clockToken'))
  const allowed = clockCrons.map(cron => JSON.stringify([{ cron }]))
  const schedules = new Wanted('one of clockCrons', value => allowed.includes(JSON.stringify(value)))
  return [
    ...workerEntries(stack, settings, clockComponent, bindings, null),
    triggerEntry(clockComponent, accountId, schedules),
  ]
}

function triggerEntry(component: string, accountId: string, schedules: Shape) {
  return entry('workers-exact', component, types.trigger, `${component}-trigger`, {
    accountId,
    schedules,
    scriptName: outputOf('scriptName', `${component}-worker`),
  })
}
