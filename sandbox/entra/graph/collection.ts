import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'
import { type ApplicationCall, badRequest, denied, notFound } from './call.ts'

/** An application or a service principal, which its owners can change. */
export interface Owned {
  readonly id: string
  readonly owners: readonly string[]
}

/** A collection of objects, such as the applications. */
export interface Collection<Kept extends Owned> {
  objects(tenant: Tenant): Map<string, Kept>
  /** Returns an object in the format of the API. */
  view(call: ApplicationCall, kept: Kept): object
  /** Returns an object changed by the request. @throws ValidationError */
  change(call: ApplicationCall, kept: Kept): Kept
  remove(tenant: Tenant, kept: Kept): void
}

/** Answers an authenticated request. @throws ValidationError if a value in the body is invalid */
export type GraphOperation = (call: ApplicationCall) => HttpAnswer
/** Operations by method and the path after the object ID. `/` is the collection. */
export type GraphOperations = Readonly<Record<string, GraphOperation>>

export const noContent: HttpAnswer = { status: 204, headers: {}, body: '' }

/** Returns the object IDs in references such as `https://graph.microsoft.com/v1.0/directoryObjects/{id}`. */
const referencedIds = (references: unknown): string[] =>
  Array.isArray(references) ? references.map(url => String(url).split('/').at(-1) ?? '') : []

/** Returns the owners of a new object: its creator, and those in the body. */
export const initialOwners = ({ bearer, sent }: ApplicationCall): string[] => [
  ...new Set([bearer.objectId, ...referencedIds(sent['owners@odata.bind'])]),
]

/** The only filter that somebody sends: `appId eq '…'`. */
const filterRule = /^appId eq '([^']*)'$/

/** Returns the elements that match a `$filter`, or null if it is not supported. */
function filtered(elements: readonly object[], filter: string | null): readonly object[] | null {
  if (filter === null) return elements
  const [, value] = filterRule.exec(filter) ?? []
  if (value === undefined) return null
  return elements.filter(element => 'appId' in element && element.appId === value)
}

/** Returns an operation on one object. Only its owners can change it, as with `Application.ReadWrite.OwnedBy`. */
export const onObject =
  <Kept extends Owned>(
    { objects }: Pick<Collection<Kept>, 'objects'>,
    needs: 'read' | 'write',
    answer: (call: ApplicationCall, kept: Kept, put: (changed: Kept) => void) => HttpAnswer,
  ): GraphOperation =>
  call => {
    const all = objects(call.tenant)
    const kept = all.get(call.id)
    if (kept === undefined) return notFound(call)
    if (needs === 'write') {
      // documented: An application with Application.ReadWrite.OwnedBy can register others, change and delete those that it owns,
      // and read all. [Graph permissions reference, Application.ReadWrite.OwnedBy]
      if (!kept.owners.includes(call.bearer.objectId)) return denied(call)
    }
    return answer(call, kept, changed => all.set(changed.id, changed))
  }

/** Returns the operations that every collection has. */
export function commonOperations<Kept extends Owned>(collection: Collection<Kept>): GraphOperations {
  const { objects, view, change, remove } = collection
  return {
    'GET /': call => {
      const all = [...objects(call.tenant).values()].map(kept => view(call, kept))
      const value = filtered(all, call.query.get('$filter'))
      return value ? jsonAnswer(200, { value }) : badRequest(call, 'This $filter is not supported.')
    },
    'GET ': onObject(collection, 'read', (call, kept) => {
      return jsonAnswer(200, view(call, kept))
    }),
    'PATCH ': onObject(collection, 'write', (call, kept, put) => {
      put(change(call, kept))
      return noContent
    }),
    'DELETE ': onObject(collection, 'write', (call, kept) => {
      remove(call.tenant, kept)
      return noContent
    }),
    'GET owners': onObject(collection, 'read', (_, { owners }) => {
      // documented: Owners can be listed, added by reference and removed one by one. An owner can remove itself. [Graph REST
      // reference v1.0, application]
      const value = owners.map(id => ({ '@odata.type': '#microsoft.graph.servicePrincipal', id }))
      return jsonAnswer(200, { value })
    }),
    'POST owners/$ref': onObject(collection, 'write', (call, kept, put) => {
      const [owner = ''] = referencedIds([call.sent['@odata.id']])
      if (kept.owners.includes(owner)) {
        return badRequest(call, 'One or more added object references already exist.')
      }
      put({ ...kept, owners: [...kept.owners, owner] })
      return noContent
    }),
    'DELETE owner': onObject(collection, 'write', (call, kept, put) => {
      if (!kept.owners.includes(call.part)) return notFound(call)
      put({ ...kept, owners: kept.owners.filter(id => id !== call.part) })
      return noContent
    }),
  }
}
