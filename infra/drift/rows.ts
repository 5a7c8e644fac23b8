import { createHash } from 'node:crypto'
import { quoteValue } from '../../lib/quote.ts'
import { presentIn, type StackState, type StateResource } from '../exported-state.ts'
import { fieldOf, listOf, textOf, timeOf, valueAt } from '../json.ts'
import { isOfPush, tokenTypes, types } from '../resource-names.ts'
import { principalArguments, registrationArguments } from '../resources/registration-arguments.ts'
import { formatTime } from '../settings/readers/credentials.ts'
import { type Difference, type Field, fieldDifferences, gone, inDashboard, sorted } from './difference.ts'
import type { Check, Look } from './look.ts'

/** A kind of resource: how it is read, and which declared fields are compared. */
interface Row {
  readonly types: readonly string[]
  readonly from: 'cloudflare' | 'graph' | 'gitHub'
  readonly title: (resource: StateResource) => string
  readonly path: (resource: StateResource, look: Look) => string
  readonly answer?: 'json' | 'module'
  /** It is read apart, and another row reports that the resource does not exist. */
  readonly isPart?: true
  readonly fields: (found: unknown, inputs: StateResource['inputs'], look: Look) => readonly Field[]
  /** What to do if it does not exist. */
  readonly fix?: (resource: StateResource) => string
}

/** Returns a check for each resource that the state has. */
export const rowChecks = ({ state }: Look): readonly Check[] =>
  rows.flatMap(row => presentIn(state, ...row.types).map(resource => look => compare(row, resource, look)))

/** Returns the tokens for one purpose. More than one means that a rotation did not finish. */
export const tokensFor = (state: StackState, isPush: boolean): readonly StateResource[] =>
  presentIn(state, ...tokenTypes).filter(({ name }) => isOfPush(name) === isPush)

/** Whether a line about an unfinished rotation already says what to do about a token. */
const isRotated = ({ type, name }: StateResource, state: StackState): boolean =>
  tokenTypes.includes(type) && tokensFor(state, isOfPush(name)).length > 1

async function compare(row: Row, resource: StateResource, look: Look): Promise<readonly Difference[]> {
  const reader = look[row.from]
  if (reader === null) return []
  const title = row.title(resource)
  const path = row.path(resource, look)
  const found = await reader.one(path, title.replace(/^The/, 'the'), row.answer)
  if (found === null)
    return row.isPart || isRotated(resource, look.state) ? [] : [gone(title, row.fix?.(resource))]
  return fieldDifferences(title, row.fields(found, resource.inputs, look))
}

/** An id from the state as a part of a path. */
const part = (id: unknown): string => encodeURIComponent(String(id))
/** The id of an object in Entra is already a path, such as `/applications/OBJECT-ID`. */
export const objectPath = ({ id }: StateResource): string => encodeURI(id ?? '')
const accountPath = ({ inputs }: StateResource): string => `/accounts/${part(inputs['accountId'])}`

/** Returns the path of a Worker that the state has. */
export const scriptPath = (one: StateResource): string =>
  `${accountPath(one)}/workers/scripts/${part(one.inputs['scriptName'])}`

/** Returns the path of the environment that the token is handed over to. */
export function environmentPath({ settings }: Look): string {
  const { owner, repository, environment } = settings.record?.handOver ?? {}
  return `/repos/${owner}/${repository}/environments/${part(environment)}`
}

const same = (found: unknown, inputs: StateResource['inputs'], ...names: readonly string[]) =>
  names.map((name): Field => [name, fieldOf(found, name), inputs[name]])

/** Returns the names of the texts, flags and numbers that a component declares. Graph has them under the same names. */
const plainIn = (declared: object | null): readonly string[] =>
  Object.entries(declared ?? {}).flatMap(([name, value]) => (typeof value === 'object' ? [] : [name]))

const listAt = (value: unknown, path: string) => sorted(listOf(valueAt(value, path)))

/** Returns one field of each element of a list. */
const eachAt = (value: unknown, path: string, name: string) =>
  sorted(listOf(valueAt(value, path)).map(one => fieldOf(one, name)))

/** Returns a time to the second; null if there is none. */
export function secondOf(value: unknown): string | null {
  const time = timeOf(value)
  return time === null ? null : formatTime(time)
}

/** Returns policies in a form that does not depend on their order. The state has `resources` as JSON text. */
const policiesOf = (value: unknown, groups: string): readonly string[] =>
  sorted(
    listOf(fieldOf(value, 'policies')).map(policy => {
      const resources = fieldOf(policy, 'resources')
      const text = typeof resources === 'string' ? resources : JSON.stringify(resources)
      return `${fieldOf(policy, 'effect')} ${eachAt(policy, groups, 'id').join(' ')} ${text}`
    }),
  )

/** Returns each declared leaf of a block. Cloudflare spells names in lower case with underscores. */
function leavesOf(name: string, found: unknown, declared: unknown): readonly Field[] {
  if (typeof declared !== 'object' || declared === null) return [[name, found, declared]]
  return Object.entries(declared).flatMap(([key, value]) => {
    const spelled = key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    return leavesOf(`${name}.${spelled}`, fieldOf(found, spelled), value)
  })
}

/** Returns each requested permission as `API PERMISSION KIND`. */
const accessesOf = (accesses: unknown, list: string): readonly string[] =>
  sorted(
    listOf(accesses).flatMap(access =>
      listOf(fieldOf(access, list)).map(
        one => `${fieldOf(access, 'resourceAppId')} ${fieldOf(one, 'id')} ${fieldOf(one, 'type')}`,
      ),
    ),
  )

/** Returns what messages call a token. @param name in the program */
export const tokenTitle = (name: string): string =>
  isOfPush(name) ? "The push endpoint's token" : 'The DNS token'

const workerTitle = ({ inputs }: StateResource) => `The Worker ${String(inputs['scriptName'])}`
/** What no run changes: the provider neither reads nor sends it, or sends it only with an upload. */
const switchOff = (inputs: StateResource['inputs'], place: string): string =>
  `Find out who changed it. Then switch it off ${inDashboard(String(inputs['scriptName']), place)}.`
const ofWorker = {
  types: [types.script],
  from: 'cloudflare',
  title: workerTitle,
} as const

/** What is compared with the state. Values that no service returns are not: tokens, secrets, the bindings of a Worker. */
const rows: readonly Row[] = [
  {
    types: [types.record],
    from: 'cloudflare',
    title: ({ inputs }) => `The record ${quoteValue(String(inputs['name']))} (${String(inputs['type'])})`,
    path: ({ id, inputs }) => `/zones/${part(inputs['zoneId'])}/dns_records/${part(id)}`,
    // Content, comment and tags have other owners. An import leaves out of the state what equals a default of the provider (seen
    // with the real one).
    fields: (found, inputs) => same(found, { proxied: false, ...inputs }, 'type', 'name', 'ttl', 'proxied'),
    fix: ({ inputs }) =>
      `Run pulumi up, which creates it again, with the address ${quoteValue(String(inputs['content']))} until the action updates it. If another line says how to adopt one, do that instead.`,
  },
  {
    types: tokenTypes,
    from: 'cloudflare',
    title: ({ id, name }) => `${tokenTitle(name)} ${quoteValue(id)}`,
    path: one => `${one.type === types.accountToken ? accountPath(one) : '/user'}/tokens/${part(one.id)}`,
    fields: (found, inputs) => [
      ...same(found, inputs, 'name', 'status'),
      ['expires_on', secondOf(fieldOf(found, 'expires_on')), secondOf(inputs['expiresOn'])],
      ['policies', policiesOf(found, 'permission_groups'), policiesOf(inputs, 'permissionGroups')],
      ['its ranges', listAt(found, 'condition.request_ip.in'), listAt(inputs, 'condition.requestIp.ins')],
      ['its refused ranges', listAt(found, 'condition.request_ip.not_in'), []],
    ],
    fix: ({ name }) =>
      `Run pulumi up, which creates another one, and ${isOfPush(name) ? 'binds it to the Worker' : 'hands it over'}.`,
  },
  {
    ...ofWorker,
    path: one => `${scriptPath(one)}/settings`,
    fields: (found, inputs) => [
      ['compatibility_date', fieldOf(found, 'compatibility_date'), inputs['compatibilityDate']],
      ['logpush', fieldOf(found, 'logpush') ?? false, false, switchOff(inputs, 'Observability')],
      // They get a copy of what the Worker logs, and of its requests.
      ['tail_consumers', eachAt(found, 'tail_consumers', 'service'), [], switchOff(inputs, 'Observability')],
      ...leavesOf('observability', fieldOf(found, 'observability'), inputs['observability']),
    ],
  },
  {
    ...ofWorker,
    path: one => `${scriptPath(one)}/subdomain`,
    isPart: true,
    fields: (found, inputs) => [
      ['workers.dev', fieldOf(found, 'enabled') ?? false, false, switchOff(inputs, 'Domains & Routes')],
      [
        'preview URLs',
        fieldOf(found, 'previews_enabled') ?? false,
        false,
        switchOff(inputs, 'Domains & Routes'),
      ],
    ],
  },
  {
    ...ofWorker,
    path: one => `${scriptPath(one)}/content/v2`,
    answer: 'module',
    isPart: true,
    fields: (found, inputs) => [
      [
        'code with the SHA-256',
        createHash('sha256').update(String(found)).digest('hex'),
        inputs['contentSha256'],
        'It can read every secret that is bound to it. Find out who uploaded it, run pulumi up, and replace the secrets.',
      ],
    ],
  },
  {
    types: [types.domain],
    from: 'cloudflare',
    title: ({ inputs }) => `The custom domain ${String(inputs['hostname'])}`,
    path: one => `${accountPath(one)}/workers/domains/${part(one.id)}`,
    fields: (found, inputs) => [
      ...same(found, inputs, 'hostname', 'service'),
      ['zone_id', fieldOf(found, 'zone_id'), inputs['zoneId']],
    ],
  },
  {
    types: [types.database],
    from: 'cloudflare',
    title: ({ id }) => `The database ${quoteValue(id)}`,
    path: one => `${accountPath(one)}/d1/database/${part(one.id)}`,
    fields: (found, _, { settings }) => [
      [
        'jurisdiction',
        textOf(found, 'jurisdiction'),
        settings.signIn?.databaseJurisdiction,
        'Only a new database can get one. To keep this one, set databaseJurisdiction to what it has, or remove the key. To move the employees, follow "Move the database" in docs/operate.md.',
      ],
    ],
    fix: () =>
      'The employees are gone with it. Run pulumi up, which creates an empty one, then npm run after-up, and import your backup.',
  },
  {
    from: 'graph',
    types: [types.application],
    title: () => 'The registration',
    path: objectPath,
    fields: (found, inputs, { settings: { signIn } }) => [
      ...same(found, inputs, ...plainIn(signIn && registrationArguments(signIn, []))),
      ['web.redirectUris', listAt(found, 'web.redirectUris'), listAt(inputs, 'web.redirectUris')],
      ...['spa.redirectUris', 'publicClient.redirectUris', 'identifierUris'].map(
        (name): Field => [name, listAt(found, name), []],
      ),
      ['isFallbackPublicClient', fieldOf(found, 'isFallbackPublicClient') ?? false, false],
      ...['appRoles', 'api.oauth2PermissionScopes'].map(
        (name): Field => [name, eachAt(found, name, 'value'), []],
      ),
      ...(['Access', 'Id'] as const).map((kind): Field => {
        const name = `web.implicitGrantSettings.enable${kind}TokenIssuance`
        const declared = `web.implicitGrant.${kind.toLowerCase()}TokenIssuanceEnabled`
        return [name, valueAt(found, name), valueAt(inputs, declared)]
      }),
      [
        'requiredResourceAccess',
        accessesOf(fieldOf(found, 'requiredResourceAccess'), 'resourceAccess'),
        accessesOf(inputs['requiredResourceAccesses'], 'resourceAccesses'),
      ],
    ],
    fix: () => 'Nobody can sign in. Restore it in Entra, under Deleted applications, or run pulumi up.',
  },
  {
    from: 'graph',
    types: [types.principal],
    title: () => 'The service principal',
    path: objectPath,
    fields: (found, inputs, { settings: { signIn } }) =>
      same(
        found,
        { appRoleAssignmentRequired: false, accountEnabled: true, ...inputs },
        ...plainIn(signIn && principalArguments(signIn, [])),
        'accountEnabled',
      ),
  },
  ...([types.application, types.principal] as const).map(
    (type): Row => ({
      from: 'graph',
      types: [type],
      title: () => (type === types.application ? 'The registration' : 'The service principal'),
      path: one => `${objectPath(one)}/owners?$select=id`,
      isPart: true,
      fields: (found, inputs) => [['owners', eachAt(found, 'value', 'id'), listAt(inputs, 'owners')]],
    }),
  ),
  {
    from: 'gitHub',
    types: [types.environmentVariable],
    title: ({ inputs }) =>
      `The variable ${String(inputs['variableName'])} of the environment ${String(inputs['environment'])}`,
    path: ({ inputs }, look) => `${environmentPath(look)}/variables/${part(inputs['variableName'])}`,
    fields: (found, inputs) => same(found, inputs, 'value'),
  },
  {
    from: 'gitHub',
    types: [types.environmentSecret],
    title: ({ inputs }) =>
      `The secret ${String(inputs['secretName'])} of the environment ${String(inputs['environment'])}`,
    path: ({ inputs }, look) => `${environmentPath(look)}/secrets/${part(inputs['secretName'])}`,
    fields: () => [],
  },
]
