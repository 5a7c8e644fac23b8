import type { HttpAnswer } from '../../http/delivery.ts'
import { parseObject } from '../../http/validation.ts'
import { applicationOperations } from './application-resource.ts'
import { badRequest, bearerToken, denied, type GraphCall, unauthenticated, unknownSegment } from './call.ts'
import type { Operations } from './collection.ts'
import { principalOperations } from './principal-resource.ts'

const pathRule = /^\/(?:v1\.0|beta)\/(applications|servicePrincipals)(?:\/([^/]+)(?:\/(.+))?)?$/
/** An element of a list behind an object. The operation has its name. */
const partRule = /^(?:(owner)s\/([^/]+)\/\$ref|(federatedIdentityCredential)s\/([^/]+))$/

const operations: Readonly<Record<string, Operations>> = {
  applications: applicationOperations,
  servicePrincipals: principalOperations,
}

/** Whether a path is about applications or service principals. */
export const isAboutApplications = (path: string): boolean => pathRule.test(path)

/** Answers a request about applications or service principals. */
export function applicationsAnswer(call: GraphCall, body: string): HttpAnswer {
  const { tenant, method, path } = call
  call.cite('applications.authorization')
  const bearer = tenant.applications.bearer(bearerToken(call) ?? '', tenant.clock.now())
  if (bearer === undefined) return unauthenticated(call, 'The access token is not of an application.')
  if (!tenant.applications.mayRegister(bearer.objectId)) return denied(call)
  const [, kind = '', id, behind = ''] = pathRule.exec(path) ?? []
  const [, ...found] = partRule.exec(behind) ?? []
  const [place = behind, part = ''] = found.filter(text => text !== undefined)
  const operation = operations[kind]?.[`${method} ${id === undefined ? '/' : place}`]
  if (operation === undefined) return unknownSegment(call)
  const sent = body === '' ? {} : parseObject(body)
  if (sent === undefined) return badRequest(call, 'Unable to read JSON request payload.')
  return operation({ ...call, bearer, id: id ?? '', part, sent })
}
