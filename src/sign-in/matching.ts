import type { Candidate, Employee } from '../employees/employee-store.ts'
import { foldName } from '../employees/user-names.ts'
import type { Settings } from '../settings/table.ts'
import type { Identity } from './identity.ts'

export type Match =
  | {
      readonly kind: 'employee'
      readonly employee: Employee
      readonly mustBind: boolean
      readonly lastEndedAt: number | null
    }
  | {
      readonly kind: 'refused'
      readonly code:
        | 'not-in-system'
        | 'ambiguous-employee'
        | 'identity-changed'
        | 'binding-required'
        | 'inactive'
      /** Missing if no single employee matches. */
      readonly employeeId?: string
    }

/**
 * Returns the employee that an identity belongs to. By name: the exact match, else the only one after folding, if no
 * different record has its id. Then by object ID: an existing binding to someone else is refused, so that a renamed
 * address takes nothing over (ASVS 5.0 10.5.2). Without a binding, an account that the first sign-in cannot bind needs an
 * operator. Inactivity comes last, so that only the account's owner learns of it.
 */
export function matchEmployee(
  identity: Pick<Identity, 'objectId' | 'username' | 'bindsByName'>,
  candidates: readonly Candidate[],
  bindOnFirstUse: Settings['bindOnFirstUse'],
): Match {
  const alike = namedAlike(identity.username, candidates)
  const [found] = alike
  if (!found) return { kind: 'refused', code: 'not-in-system' }
  // Different ids name nobody. Records that share one name the id whose sessions end.
  const isOneId = alike.every(({ id }) => id === found.id)
  if (alike.length > 1 || found.sharesId)
    return { kind: 'refused', code: 'ambiguous-employee', ...(isOneId && { employeeId: found.id }) }
  const { id, userName, isActive, isAdmin, boundTo, askerBoundTo, lastEndedAt } = found
  const refused = (code: 'identity-changed' | 'binding-required' | 'inactive'): Match => ({
    kind: 'refused',
    code,
    employeeId: id,
  })
  if (boundTo !== null && boundTo !== identity.objectId) return refused('identity-changed')
  if (askerBoundTo !== null && askerBoundTo !== id) return refused('identity-changed')
  const allowed = bindOnFirstUse === 'everybody' || (bindOnFirstUse === 'employees' && !isAdmin)
  if (boundTo === null && !(allowed && identity.bindsByName)) return refused('binding-required')
  if (!isActive) return refused('inactive')
  const employee = { id, userName, isActive, isAdmin }
  return { kind: 'employee', employee, mustBind: boundTo === null, lastEndedAt }
}

/** Whether a name is another employee's, exactly or after folding. */
export function namesAnother(name: string, employee: Employee, candidates: readonly Candidate[]): boolean {
  const folded = foldName(name)
  return candidates.some(({ id, userName }) => id !== employee.id && foldName(userName) === folded)
}

/** Returns the candidates of exactly this name, else those whose name is the same after folding. */
function namedAlike(username: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const exact = candidates.filter(({ userName }) => userName === username)
  const folded = foldName(username)
  return exact.length > 0 ? exact : candidates.filter(({ userName }) => foldName(userName) === folded)
}
