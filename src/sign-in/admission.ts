import type { Employee } from '../employees/employee-store.ts'
import { lookupNames } from '../employees/user-names.ts'
import type { ProblemCode } from '../http/problem.ts'
import { type Identity, type Profile, readIdentity } from './identity.ts'
import { type Match, matchEmployee, namesAnother } from './matching.ts'
import type { SignInParts } from './outcome.ts'

type Admission = (
  | { readonly kind: 'employee'; readonly employee: Employee; readonly lastEndedAt: number | null }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly employeeId?: string | undefined }
) & { readonly suspicious?: boolean | undefined }

/** Returns the employee that a profile belongs to, and binds them to its object ID. */
export async function admit(parts: SignInParts, profile: Profile): Promise<Admission> {
  const identity = readIdentity(profile, parts.settings)
  if (identity.kind === 'refused') return identity
  const match = await find(parts, identity)
  if (match.kind === 'refused' || !match.mustBind) return match
  const { employee } = match
  const suspicious = await namesTwoEmployees(parts, identity, employee)
  if (suspicious && parts.settings.bindOnFirstUse !== 'everybody') {
    return { kind: 'refused', code: 'binding-required', employeeId: employee.id, suspicious }
  }
  if (await parts.employees.bind(employee.id, identity.objectId, parts.now())) {
    return { ...match, suspicious }
  }
  // Another sign-in bound the employee or the account first. It can be the same person's, in another window.
  const again = await find(parts, identity)
  if (again.kind === 'refused' || !again.mustBind) return again
  return { kind: 'refused', code: 'identity-changed', employeeId: employee.id }
}

/**
 * Whether Mail names this employee and the principal name another: somebody may have given the account either address to
 * take over a record.
 */
async function namesTwoEmployees(
  parts: SignInParts,
  identity: Identity,
  employee: Employee,
): Promise<boolean> {
  const { otherName, objectId } = identity
  if (otherName === null) return false
  const candidates = await parts.employees.findByName(lookupNames(otherName), objectId, otherName)
  return namesAnother(otherName, employee, candidates)
}

export async function find({ employees, settings }: SignInParts, identity: Identity): Promise<Match> {
  const { username, objectId } = identity
  const candidates = await employees.findByName(lookupNames(username), objectId, username)
  return matchEmployee(identity, candidates, settings.bindOnFirstUse)
}
