import type { Candidate, Employee } from '../employees/directory.ts'
import { foldName } from '../employees/names.ts'
import type { Identity } from './identity.ts'

export type Match =
  | { readonly kind: 'employee'; readonly employee: Employee; readonly mustBind: boolean }
  | {
      readonly kind: 'refused'
      readonly code:
        | 'not-in-system'
        | 'ambiguous-employee'
        | 'identity-changed'
        | 'binding-required'
        | 'inactive'
      /** Missing when no single employee matches. */
      readonly employeeId?: string
    }

/**
 * Returns the employee that an identity belongs to. By name: the exact match, else the only one after folding. Then by
 * directory id: an existing binding to someone else is refused, so that a renamed address takes nothing over (ASVS 5.0
 * 10.5.2). Inactivity comes last, so that only the account's owner learns of it.
 */
export function matchEmployee(identity: Omit<Identity, 'kind'>, candidates: readonly Candidate[]): Match {
  const found = chooseByName(identity.username, candidates)
  if (found === 'none') return { kind: 'refused', code: 'not-in-system' }
  if (found === 'several') return { kind: 'refused', code: 'ambiguous-employee' }
  const { id, userName, isActive, isAdmin, boundTo, askerBoundTo } = found
  const refused = (code: 'identity-changed' | 'binding-required' | 'inactive'): Match => ({
    kind: 'refused',
    code,
    employeeId: id,
  })
  if (boundTo !== null && boundTo !== identity.directoryId) return refused('identity-changed')
  if (askerBoundTo !== null && askerBoundTo !== id) return refused('identity-changed')
  if (boundTo === null && !identity.bindsByName) return refused('binding-required')
  if (!isActive) return refused('inactive')
  return { kind: 'employee', employee: { id, userName, isActive, isAdmin }, mustBind: boundTo === null }
}

function chooseByName(username: string, candidates: readonly Candidate[]): Candidate | 'none' | 'several' {
  const exact = candidates.filter(({ userName }) => userName === username)
  const folded = foldName(username)
  const alike = exact.length > 0 ? exact : candidates.filter(({ userName }) => foldName(userName) === folded)
  const [only] = alike
  if (!only) return 'none'
  return alike.length === 1 ? only : 'several'
}
