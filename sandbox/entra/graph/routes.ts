import type { HttpAnswer } from '../../http/delivery.ts'
import { parseObject, ValidationError } from '../../http/validation.ts'
import { applicationOperations } from './application-resource.ts'
import type { Permission } from './applications.ts'
import { badRequest, bearerToken, denied, type GraphCall, unauthenticated, unknownSegment } from './call.ts'
import type { GraphOperations } from './collection.ts'
import { principalOperations } from './principal-resource.ts'

const pathRule = /^\/(?:v1\.0|beta)\/(applications|servicePrincipals)(?:\/([^/]+)(?:\/(.+))?)?$/
/** An owner of an object. */
const partRule = /^(owner)s\/([^/]+)\/\$ref$/

const operations: Readonly<Record<string, GraphOperations>> = {
  applications: applicationOperations,
  servicePrincipals: principalOperations,
}

/** Whether a path concerns applications or service principals. */
export const isAboutApplications = (path: string): boolean => pathRule.test(path)

/** Answers a request about applications or service principals. */
export function applicationsAnswer(call: GraphCall, body: string): HttpAnswer {
  const { tenant, method, path } = call
  // documented: A request without the token of an application gets 401. If the token lacks the permission, it gets 403
  // Authorization_RequestDenied. [Graph, error responses]
  // documented: An application token has the permissions that its service principal had when the token was issued, as `roles`.
  // Application.ReadWrite.OwnedBy is needed to write, and it or Application.Read.All to read. The deployer always has the first.
  // [Microsoft identity platform, OAuth 2.0 client credentials flow; Graph permissions reference]
  const bearer = tenant.applications.bearer(bearerToken(call) ?? '', tenant.clock.now())
  if (bearer === null) return unauthenticated(call, 'The access token does not belong to an application.')
  const has = (permission: Permission) => bearer.permissions.includes(permission)
  const canRead = method === 'GET' && has('Application.Read.All')
  if (!canRead && !has('Application.ReadWrite.OwnedBy')) return denied(call)
  const [, kind = '', id, below = ''] = pathRule.exec(path) ?? []
  const [, place = below, part = ''] = partRule.exec(below) ?? []
  const operation = operations[kind]?.[`${method} ${id === undefined ? '/' : place}`]
  if (operation === undefined) return unknownSegment(call)
  const sent = body === '' ? {} : parseObject(body)
  if (sent === null) return badRequest(call, 'Unable to read JSON request payload.')
  try {
    return operation({ ...call, bearer, id: id ?? '', part, sent })
  } catch (error) {
    if (error instanceof ValidationError) return badRequest(call, error.message)
    throw error
  }
}
