import type { HttpAnswer } from '../../http/delivery.ts'
import type { RequestHead } from '../../http/exchange.ts'
import { parseObject } from '../../http/validation.ts'
import type { Tenant } from '../tenant.ts'
import {
  addPassword,
  createApplication,
  type DirectoryCall,
  deleteApplication,
  getApplication,
  listApplications,
  patchApplication,
  removePassword,
} from './application-resource.ts'
import { addOwner, listOwners, ownedApplication, ownedPrincipal, removeOwner } from './owner-resource.ts'
import {
  createPrincipal,
  deletePrincipal,
  getPrincipal,
  listPrincipals,
  patchPrincipal,
} from './principal-resource.ts'
import { graphFailure, unauthenticated } from './profile.ts'

const pathRule = /^\/(?:v1\.0|beta)\/(applications|servicePrincipals)(?:\/([^/]+)(?:\/(.+))?)?$/
const ownerRule = /^owners\/([^/]+)\/\$ref$/

type Operation = (call: DirectoryCall, owner: string) => HttpAnswer

/** Operations by method and the path after the object id. `/` is the collection. */
const operations: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  applications: {
    'GET /': listApplications,
    'POST /': createApplication,
    'GET ': getApplication,
    'PATCH ': patchApplication,
    'DELETE ': deleteApplication,
    'GET owners': listOwners(ownedApplication),
    'POST owners/$ref': addOwner(ownedApplication),
    'DELETE owner': removeOwner(ownedApplication),
    'POST addPassword': addPassword,
    'POST removePassword': removePassword,
  },
  servicePrincipals: {
    'GET /': listPrincipals,
    'POST /': createPrincipal,
    'GET ': getPrincipal,
    'PATCH ': patchPrincipal,
    'DELETE ': deletePrincipal,
    'GET owners': listOwners(ownedPrincipal),
    'POST owners/$ref': addOwner(ownedPrincipal),
    'DELETE owner': removeOwner(ownedPrincipal),
  },
}

/** Whether a path is about applications or service principals. */
export const isAboutApplications = (path: string): boolean => pathRule.test(path)

/** Answers a request about applications or service principals. */
export function applicationsAnswer(
  tenant: Tenant,
  { method, path, query, headers }: RequestHead,
  body: string,
): HttpAnswer {
  const asked = headers['client-request-id']
  const token = /^Bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1] ?? ''
  const bearer = tenant.applications.bearer(token, tenant.clock.now())
  if (bearer === undefined)
    return unauthenticated(tenant, 'The access token is not of an application.', asked)
  if (!tenant.applications.mayRegister(bearer.objectId)) {
    const message = 'Insufficient privileges to complete the operation.'
    return graphFailure(tenant, 403, 'Authorization_RequestDenied', message, { asked })
  }
  const [, kind = '', id, behind = ''] = pathRule.exec(path) ?? []
  const owner = ownerRule.exec(behind)?.[1]
  const place = owner === undefined ? behind : 'owner'
  const operation = operations[kind]?.[`${method} ${id === undefined ? '/' : place}`]
  if (operation === undefined) {
    return graphFailure(tenant, 400, 'BadRequest', 'Resource not found for the segment.', { asked })
  }
  const sent = body === '' ? {} : parseObject(body)
  if (sent === undefined) {
    return graphFailure(tenant, 400, 'BadRequest', 'Unable to read JSON request payload.', { asked })
  }
  const call = { tenant, bearer, id: id ?? '', query: new URLSearchParams(query), sent, asked }
  return operation(call, owner ?? '')
}
