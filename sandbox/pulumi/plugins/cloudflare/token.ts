import { asList, asProperties, isEqual, type Json, type Properties, pick, text } from '../../properties.ts'
import type { Resource } from '../resource.ts'
import type { Cloudflare } from './client.ts'

/** A token with one of these statuses counts as gone (source of the provider). */
const gone = ['expired', 'revoked (exposed)']

/** Converts a policy to the wire format: `resources` is JSON text in a program and an object on the wire. */
function policyOut(policy: Json): Json {
  const { resources, permissionGroups, effect } = asProperties(policy)
  return {
    effect: effect ?? 'allow',
    permission_groups: asList(permissionGroups).map(group => pick(asProperties(group), ['id'])),
    resources: JSON.parse(text(resources)) as Json,
  }
}

/** Converts a policy to the program's format: `resources` as compact text, groups by id only. */
function policyIn(policy: Json): Json {
  const { effect, permission_groups, resources } = asProperties(policy)
  return {
    effect: effect ?? 'allow',
    permissionGroups: asList(permission_groups).map(group => pick(asProperties(group), ['id'])),
    resources: JSON.stringify(resources ?? {}),
  }
}

const sorted = (policies: readonly Json[]): string[] =>
  policies
    .map(asProperties)
    .map(policy => {
      const groups = asList(policy['permissionGroups']).map(group => text(asProperties(group)['id']))
      return JSON.stringify([policy['effect'] ?? 'allow', groups.sort(), policy['resources'] ?? null])
    })
    .sort()

/** Compares policies. The order of policies and groups does not matter. */
function policiesIn(declared: Json | undefined, served: Json | undefined): Json {
  const found = asList(served).map(policyIn)
  return declared !== undefined && isEqual(sorted(asList(declared)), sorted(found)) ? declared : found
}

/** Formats a time for comparison as in the provider: to the second, with its offset. */
function spelled(time: Json | undefined): string {
  return text(time)
    .replace(/\.\d+/, '')
    .replace(/[+-]00:00$/, 'Z')
}

/** Keeps the declared spelling of a time (`StringSemanticEquals` in terraform-plugin-framework-timetypes). */
const sameTime = (declared: Json | undefined, served: Json | undefined): Json | undefined =>
  spelled(declared) === spelled(served) ? declared : served

/** Converts a condition to the wire format. Programs use `ins`, because `in` is a keyword in many languages. */
function conditionOut(condition: Json): Json {
  const { ins = [] } = asProperties(asProperties(condition)['requestIp'])
  return { request_ip: { in: ins } }
}

function conditionIn(condition: Json): Json {
  const { in: ins = [] } = asProperties(asProperties(condition)['request_ip'])
  return { requestIp: { ins } }
}

const body = (inputs: Properties): Properties => ({
  name: inputs['name'] ?? null,
  policies: asList(inputs['policies']).map(policyOut),
  ...(inputs['expiresOn'] === undefined ? {} : { expires_on: inputs['expiresOn'] }),
  ...(inputs['condition'] === undefined ? {} : { condition: conditionOut(inputs['condition']) }),
  ...(inputs['status'] === undefined ? {} : { status: inputs['status'] }),
})

function inputsOf(declared: Properties, token: Properties): Properties {
  const expiresOn = sameTime(declared['expiresOn'], token['expires_on'])
  const condition = token['condition']
  return {
    ...pick(declared, ['accountId']),
    name: token['name'] ?? null,
    policies: policiesIn(declared['policies'], token['policies']),
    ...(expiresOn === undefined ? {} : { expiresOn }),
    ...(condition === undefined ? {} : { condition: conditionIn(condition) }),
    ...(declared['status'] === undefined ? {} : { status: token['status'] ?? null }),
  }
}

const stateOf = (inputs: Properties, token: Properties, value: Json): Properties => ({
  ...inputs,
  id: token['id'] ?? null,
  status: token['status'] ?? null,
  issuedOn: token['issued_on'] ?? null,
  modifiedOn: token['modified_on'] ?? null,
  value,
})

/** A token of a user or an account. Only its creation returns the value, which is kept in the state. */
const tokenAt = (collection: (inputs: Properties) => string): Resource<Cloudflare> => ({
  // account_token/schema.go: account_id is RequiresReplace. A user's token (api_token/schema.go) has no such field.
  replaceOn: ['accountId'],
  computed: ['value', 'status', 'issuedOn', 'modifiedOn'],
  check: inputs => {
    const invalid = asList(inputs['policies']).some(
      policy => typeof asProperties(policy)['resources'] !== 'string',
    )
    return invalid
      ? [{ property: 'policies', reason: 'The resources of a policy must be JSON text, not an object.' }]
      : []
  },
  create: async (client, inputs) => {
    const token = await client.call({ method: 'POST', path: collection(inputs), json: body(inputs) })
    return { id: text(token['id']), state: stateOf(inputs, token, token['value'] ?? null) }
  },
  path: (id, state) => `${collection(state)}/${id}`,
  read: (token, id, { inputs, state }) => {
    if (gone.includes(text(token['status']))) return null
    const refreshed = inputsOf(inputs, token)
    return { id, inputs: refreshed, state: stateOf(refreshed, token, state['value'] ?? null) }
  },
  update: async (client, id, inputs, { state }) => {
    // observed: A status that the program does not declare is not sent, so a disabled token stays so. [cloudflare 5.22, run against an
    // emulator]
    const path = `${collection(state)}/${id}`
    const token = await client.call({ method: 'PUT', path, json: body(inputs) })
    return stateOf(inputs, token, state['value'] ?? null)
  },
})

const accountTokens = (inputs: Properties) => `/accounts/${text(inputs['accountId'])}/tokens`

export const accountToken = tokenAt(accountTokens)
export const apiToken = tokenAt(() => '/user/tokens')

/** Lists permission groups by name and scope. The name is sent as the program wrote it. */
const groupsAt =
  (collection: (args: Properties) => string) =>
  async (client: Cloudflare, args: Properties): Promise<Properties> => {
    const query = new URLSearchParams()
    for (const key of ['name', 'scope']) if (args[key] !== undefined) query.set(key, text(args[key]))
    const path = `${collection(args)}/permission_groups`
    const groups = await client.list(query.size === 0 ? path : `${path}?${query}`)
    return { ...args, results: groups.map(group => pick(group, ['id', 'name', 'scopes'])) }
  }

export const accountPermissionGroups = groupsAt(accountTokens)
export const userPermissionGroups = groupsAt(() => '/user/tokens')
