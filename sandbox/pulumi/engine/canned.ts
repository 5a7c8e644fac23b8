import { createHash } from 'node:crypto'
import { asObject, type Json, type JsonObject, type ResourceProvider } from './graph.ts'

const digits = (seed: string): string => createHash('sha256').update(seed).digest('hex')
const guid = (seed: string): string =>
  digits(seed).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')

type Computed = (id: string, inputs: JsonObject) => JsonObject

/** What services add to what they were told, as far as a program may use it. The values say what they stand for. */
const computed: Readonly<Record<string, Computed>> = {
  'cloudflare:index/accountToken:AccountToken': id => ({
    value: `cfat_${digits(id).slice(0, 40)}`,
    status: 'active',
  }),
  'cloudflare:index/apiToken:ApiToken': id => ({
    value: `cfut_${digits(id).slice(0, 40)}`,
    status: 'active',
  }),
  'azuread:index/application:Application': id => ({ clientId: guid(`client ${id}`), objectId: guid(id) }),
  'azuread:index/applicationPassword:ApplicationPassword': id => ({
    value: `canned~secret.${digits(id).slice(0, 26)}`,
    keyId: guid(id),
  }),
  'azuread:index/servicePrincipal:ServicePrincipal': id => ({ objectId: guid(id) }),
}

const group = (id: string, name: string): Json => ({
  id,
  name,
  scopes: ['com.cloudflare.api.account.zone'],
  category: 'dns_and_zones',
  isSelectable: true,
})

/** What the services list, wider than asked, so that a program has to choose. */
const groups: JsonObject = {
  results: [
    group('82e64a83756745bbbb1c9c2701bf816b', 'DNS Read'),
    group('4755a26eedb94da69e1066d98aa820be', 'DNS Write'),
  ],
}

const answers: Readonly<Record<string, JsonObject>> = {
  'cloudflare:index/getAccountApiTokenPermissionGroupsList:getAccountApiTokenPermissionGroupsList': groups,
  'cloudflare:index/getApiTokenPermissionGroupsList:getApiTokenPermissionGroupsList': groups,
  'azuread:index/getClientConfig:getClientConfig': {
    id: 'deployer',
    clientId: guid('deployer application'),
    objectId: guid('deployer'),
    tenantId: guid('tenant'),
  },
}

/** Inputs that tell one thing of a type from another. */
const identity = ['name', 'displayName', 'scriptName', 'hostname', 'secretName', 'variableName', 'clientId']

/** Makes nothing: identifiers and values follow from type and name, so that the same program gives the same graph. */
export const cannedProvider: ResourceProvider = {
  async create(type, given) {
    const inputs = asObject(given)
    const seed = digits(`${type} ${identity.map(key => inputs[key] ?? '').join(' ')}`)
    const id = type.startsWith('azuread:') ? guid(seed) : seed.slice(0, 32)
    return { id, outputs: { ...inputs, ...computed[type]?.(id, inputs) } }
  },
  async invoke(token) {
    const answer = answers[token]
    if (!answer)
      throw new Error(`No answer is known to ${token}. Add one to sandbox/pulumi/engine/canned.ts.`)
    return answer
  },
}
