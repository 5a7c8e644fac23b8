import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import {
  badRequest,
  type DirectoryCall,
  denied,
  noContent,
  notFound,
  referencedIds,
} from './application-resource.ts'

/** An object with owners, and a function that replaces them. */
interface Owned {
  readonly owners: readonly string[]
  put(owners: readonly string[]): void
}

/** Finds the application or the service principal of a call. */
type FindOwned = (call: DirectoryCall) => Owned | undefined

export const ownedApplication: FindOwned = ({ tenant: { applications }, id }) => {
  const application = applications.applications.get(id)
  return (
    application && {
      owners: application.owners,
      put: owners => applications.applications.set(id, { ...application, owners }),
    }
  )
}

export const ownedPrincipal: FindOwned = ({ tenant: { applications }, id }) => {
  const principal = applications.principals.get(id)
  return (
    principal && {
      owners: principal.owners,
      put: owners => applications.principals.set(id, { ...principal, owners }),
    }
  )
}

/** GET …/owners */
export const listOwners =
  (find: FindOwned) =>
  (call: DirectoryCall): HttpAnswer => {
    const owned = find(call)
    if (owned === undefined) return notFound(call)
    const value = owned.owners.map(id => ({ '@odata.type': '#microsoft.graph.servicePrincipal', id }))
    return jsonAnswer(200, { value })
  }

/** POST …/owners/$ref */
export const addOwner =
  (find: FindOwned) =>
  (call: DirectoryCall): HttpAnswer => {
    const owned = find(call)
    if (owned === undefined) return notFound(call)
    if (!owned.owners.includes(call.bearer.objectId)) return denied(call)
    const [owner = ''] = referencedIds([call.sent['@odata.id']])
    if (owned.owners.includes(owner))
      return badRequest(call, 'One or more added object references already exist.')
    owned.put([...owned.owners, owner])
    return noContent
  }

/** DELETE …/owners/{owner}/$ref. Owners can remove themselves, and then cannot write any more. */
export const removeOwner =
  (find: FindOwned) =>
  (call: DirectoryCall, owner: string): HttpAnswer => {
    const owned = find(call)
    if (owned === undefined || !owned.owners.includes(owner)) return notFound(call)
    if (!owned.owners.includes(call.bearer.objectId)) return denied(call)
    owned.put(owned.owners.filter(id => id !== owner))
    return noContent
  }
