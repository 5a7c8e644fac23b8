import { createHash } from 'node:crypto'
import type { Json, Properties } from '../properties.ts'
import type { ResourceProvider } from './graph.ts'

function digest(seed: string): string {
  return createHash('sha256').update(seed).digest('hex')
}

function guid(seed: string): string {
  return digest(seed).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** The outputs that services add to the inputs, limited to those that programs use. */
const computed: Readonly<Record<string, (id: string) => Properties>> = {
  'cloudflare:index/accountToken:AccountToken': id => ({
    value: `cfat_${digest(id).slice(0, 40)}`,
    status: 'active',
  }),
  'cloudflare:index/apiToken:ApiToken': id => ({
    value: `cfut_${digest(id).slice(0, 40)}`,
    status: 'active',
  }),
  'azuread:index/application:Application': id => ({ clientId: guid(`client ${id}`), objectId: guid(id) }),
  'azuread:index/applicationPassword:ApplicationPassword': id => ({
    value: `canned~secret.${digest(id).slice(0, 26)}`,
    keyId: guid(id),
  }),
  'azuread:index/servicePrincipal:ServicePrincipal': id => ({ objectId: guid(id) }),
}

function permissionGroup(id: string, name: string): Json {
  const scopes = ['com.cloudflare.api.account.zone']
  return { id, name, scopes, category: 'dns_and_zones', isSelectable: true }
}

/** More groups than the query requests, so that a program must choose. */
const permissionGroups: Properties = {
  results: [
    permissionGroup('82e64a83756745bbbb1c9c2701bf816b', 'DNS Read'),
    permissionGroup('4755a26eedb94da69e1066d98aa820be', 'DNS Write'),
  ],
}

const answers: Readonly<Record<string, Properties>> = {
  'cloudflare:index/getAccountApiTokenPermissionGroupsList:getAccountApiTokenPermissionGroupsList':
    permissionGroups,
  'cloudflare:index/getApiTokenPermissionGroupsList:getApiTokenPermissionGroupsList': permissionGroups,
  'azuread:index/getClientConfig:getClientConfig': {
    id: 'deployer',
    clientId: guid('deployer application'),
    objectId: guid('deployer'),
    tenantId: guid('tenant'),
  },
}

/** Inputs that distinguish two resources of one type. */
const identity = ['name', 'displayName', 'scriptName', 'hostname', 'secretName', 'variableName', 'clientId']

/** Creates nothing. Ids and values depend only on type and name, so a program always gives the same graph. */
export const cannedProvider: ResourceProvider = {
  async create(type, inputs) {
    const seed = digest(`${type} ${identity.map(key => inputs[key] ?? '').join(' ')}`)
    const id = type.startsWith('azuread:') ? guid(seed) : seed.slice(0, 32)
    return { id, outputs: { ...inputs, ...computed[type]?.(id) } }
  },
  async invoke(token) {
    const answer = answers[token]
    if (!answer) throw new Error(`No canned answer for ${token}. Add one to ${import.meta.filename}.`)
    return answer
  },
}
