import { readSecond } from '../http/clock.ts'
import type { ServiceState } from '../http/emulated-service.ts'
import {
  listOf,
  nullable,
  oneOf,
  optional,
  readBoolean,
  readFields,
  readObject,
  readString,
  readStrings,
  requireDistinct,
  withDefault,
} from '../http/validation.ts'
import type { Application, ServicePrincipal } from './graph/applications.ts'
import { type AssertionCredentials, keptCredentialFields } from './graph/credentials.ts'
import { principalFields, registrationFields } from './graph/registration.ts'
import type { ClientSecrets, Tenant } from './tenant.ts'
import { type EntraUser, signInOutcomes } from './users.ts'

const userFields = {
  id: readString,
  userPrincipalName: readString,
  mail: nullable(readString),
  displayName: readString,
  outcome: optional(oneOf(signInOutcomes)),
  signInSessionsValidFromDateTime: optional(readSecond),
}

function readUsers(value: unknown, where: string): EntraUser[] {
  const users = listOf((user, place) => readFields(user, place, userFields))(value, where)
  const ids = users.map(({ id }) => id)
  requireDistinct(ids, `The ids of ${where}`)
  const names = users.map(({ userPrincipalName }) => userPrincipalName.toLowerCase())
  requireDistinct(names, `The principal names of ${where}`)
  return users
}

const passwordFields = {
  keyId: readString,
  displayName: nullable(readString),
  secretText: readString,
  startDateTime: readSecond,
  endDateTime: readSecond,
}

const assignmentFields = { id: readString, appRoleId: readString, resourceId: readString }

const readPasswords = listOf((password, where) => readFields(password, where, passwordFields))

const applicationFields = {
  ...registrationFields,
  ...keptCredentialFields,
  id: readString,
  appId: readString,
  createdDateTime: readSecond,
  owners: readStrings,
  passwords: readPasswords,
}

const servicePrincipalFields = {
  ...principalFields,
  id: readString,
  appId: readString,
  owners: readStrings,
  passwords: withDefault([], readPasswords),
  appRoleAssignments: withDefault(
    [],
    listOf((assignment, where) => readFields(assignment, where, assignmentFields)),
  ),
  oauth2PermissionGrants: withDefault(
    [],
    listOf((grant, where) => readFields(grant, where, { id: readString, scope: readString })),
  ),
}

const secretFields = { live: readStrings, expired: withDefault([], readStrings) }

const stateFields = {
  users: readUsers,
  clientSecrets: (value: unknown, where: string) => readFields(value, where, secretFields),
  credentials: (value: unknown, where: string) => readFields(value, where, keptCredentialFields),
  requirePkce: readBoolean,
  applications: listOf((application, where) => readFields(application, where, applicationFields)),
  servicePrincipals: listOf((principal, where) => readFields(principal, where, servicePrincipalFields)),
}

/** The tenant in `/state`. */
export interface EntraState {
  readonly users: readonly EntraUser[]
  /** The client secrets of the first application. */
  readonly clientSecrets: ClientSecrets
  /** The certificates and federated credentials of the first application. */
  readonly credentials: AssertionCredentials
  /** Whether sign-ins without PKCE are refused. */
  readonly requirePkce: boolean
  readonly applications: readonly Application[]
  readonly servicePrincipals: readonly ServicePrincipal[]
}

const byId = <Element extends { readonly id: string }>(elements: readonly Element[]): Map<string, Element> =>
  new Map(elements.map(element => [element.id, element]))

/** Returns the tenant's part of `/state`: users, client secrets and applications. */
export function entraState(tenant: Tenant): ServiceState {
  const { applications, users } = tenant
  const read = (): EntraState => ({
    users: users.all,
    clientSecrets: tenant.clientSecrets,
    credentials: tenant.credentials,
    requirePkce: tenant.requirePkce,
    applications: [...applications.applications.values()],
    servicePrincipals: [...applications.principals.values()],
  })
  return {
    keys: ['entra'],
    read: () => ({ entra: read() }),
    prepare({ entra }) {
      if (entra === undefined) return () => undefined
      const next = readFields({ ...read(), ...readObject(entra, 'entra') }, 'entra', stateFields)
      return () => {
        users.all = next.users
        tenant.clientSecrets = next.clientSecrets
        tenant.credentials = next.credentials
        tenant.requirePkce = next.requirePkce
        applications.applications = byId(next.applications)
        applications.principals = byId(next.servicePrincipals)
      }
    },
  }
}
