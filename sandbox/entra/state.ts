import type { ServiceState } from '../http/service.ts'
import {
  type JsonObject,
  readArray,
  readBoolean,
  readInstant,
  readObject,
  readOneOf,
  readString,
  readStrings,
  requireDistinct,
  ValidationError,
} from '../http/validation.ts'
import type { Application, Deployer, Password, ServicePrincipal } from './graph/applications.ts'
import { InvalidRegistration, readRegistration } from './graph/registration.ts'
import type { ClientSecrets, Tenant } from './tenant.ts'
import { type EntraUser, outcomes } from './users.ts'

function readTextOrNull(value: unknown, where: string): string | null {
  return value === undefined || value === null ? null : readString(value, where)
}

function readUser(value: unknown, where: string): EntraUser {
  const known = ['id', 'userPrincipalName', 'mail', 'displayName', 'outcome']
  const { id, userPrincipalName, mail, displayName, outcome } = readObject(value, where, known)
  const name = readString(userPrincipalName, `${where}.userPrincipalName`)
  return {
    id: readString(id, `${where}.id`),
    userPrincipalName: name,
    mail: readTextOrNull(mail, `${where}.mail`),
    displayName: readString(displayName ?? name, `${where}.displayName`),
    ...(outcome !== undefined && { outcome: readOneOf(outcome, `${where}.outcome`, outcomes) }),
  }
}

function readUsers(value: unknown, where: string): EntraUser[] {
  const users = readArray(value, where).map((user, at) => readUser(user, `${where}[${at}]`))
  requireDistinct(
    users.map(({ id }) => id),
    `The ids of ${where}`,
  )
  requireDistinct(
    users.map(({ userPrincipalName }) => userPrincipalName.toLowerCase()),
    `The principal names of ${where}`,
  )
  return users
}

function readDeployer(value: unknown, where: string): Deployer {
  const { clientId, clientSecret, objectId } = readObject(value, where, [
    'clientId',
    'clientSecret',
    'objectId',
  ])
  return {
    clientId: readString(clientId, `${where}.clientId`),
    clientSecret: readString(clientSecret, `${where}.clientSecret`),
    objectId: readString(objectId, `${where}.objectId`),
  }
}

function readTime(value: unknown, where: string): string {
  return new Date(readInstant(value, where)).toISOString()
}

function readPassword(value: unknown, where: string): Password {
  const known = ['keyId', 'displayName', 'secretText', 'startDateTime', 'endDateTime']
  const password = readObject(value, where, known)
  return {
    keyId: readString(password['keyId'], `${where}.keyId`),
    displayName: readTextOrNull(password['displayName'], `${where}.displayName`),
    secretText: readString(password['secretText'], `${where}.secretText`),
    startDateTime: readTime(password['startDateTime'], `${where}.startDateTime`),
    endDateTime: readTime(password['endDateTime'], `${where}.endDateTime`),
  }
}

function readApplication(value: unknown, where: string): Application {
  const given = readObject(value, where)
  const passwords = readArray(given['passwords'] ?? [], `${where}.passwords`)
  try {
    return {
      id: readString(given['id'], `${where}.id`),
      appId: readString(given['appId'], `${where}.appId`),
      createdDateTime: readTime(given['createdDateTime'], `${where}.createdDateTime`),
      ...readRegistration(given),
      owners: readStrings(given['owners'] ?? [], `${where}.owners`),
      passwords: passwords.map((password, at) => readPassword(password, `${where}.passwords[${at}]`)),
    }
  } catch (error) {
    if (error instanceof InvalidRegistration) throw new ValidationError(`${where}: ${error.message}`)
    throw error
  }
}

function readPrincipal(value: unknown, where: string): ServicePrincipal {
  const given = readObject(value, where)
  return {
    id: readString(given['id'], `${where}.id`),
    appId: readString(given['appId'], `${where}.appId`),
    accountEnabled: readBoolean(given['accountEnabled'] ?? true, `${where}.accountEnabled`),
    appRoleAssignmentRequired: readBoolean(
      given['appRoleAssignmentRequired'] ?? false,
      `${where}.appRoleAssignmentRequired`,
    ),
    description: readTextOrNull(given['description'], `${where}.description`),
    notes: readTextOrNull(given['notes'], `${where}.notes`),
    owners: readStrings(given['owners'] ?? [], `${where}.owners`),
  }
}

/** The directory in `/state`. */
export interface EntraState {
  readonly users: readonly EntraUser[]
  /** Of the first application. */
  readonly clientSecrets: ClientSecrets
  /** Whether a code that is redeemed twice takes its access token with it. */
  readonly revokeOnReuse: boolean
  readonly deployers: readonly Deployer[]
  readonly applications: readonly Application[]
  readonly servicePrincipals: readonly ServicePrincipal[]
}

/** Reads a list whose elements have an id, by id. */
function readById<Element extends { readonly id: string }>(
  value: unknown,
  where: string,
  read: (value: unknown, where: string) => Element,
): Map<string, Element> {
  const elements = readArray(value, where).map((element, at) => read(element, `${where}[${at}]`))
  return new Map(elements.map(element => [element.id, element]))
}

/** Returns the directory's part of `/state`: users, client secrets, applications and deployers. */
export function entraState(tenant: Tenant): ServiceState {
  const { applications, directory, storage } = tenant
  const read = (): EntraState => ({
    users: directory.users,
    clientSecrets: tenant.clientSecrets,
    revokeOnReuse: storage.revokeOnReuse,
    deployers: applications.deployers,
    applications: [...applications.applications.values()],
    servicePrincipals: [...applications.principals.values()],
  })
  return {
    keys: ['entra'],
    read: () => ({ entra: read() }),
    prepare({ entra }: JsonObject) {
      if (entra === undefined) return () => undefined
      const present = read()
      const next = { ...present, ...readObject(entra, 'entra', Object.keys(present)) }
      const secrets = readObject(next.clientSecrets, 'entra.clientSecrets', ['live', 'expired'])
      const users = readUsers(next.users, 'entra.users')
      const clientSecrets = {
        live: readStrings(secrets['live'], 'entra.clientSecrets.live'),
        expired: readStrings(secrets['expired'] ?? [], 'entra.clientSecrets.expired'),
      }
      const revokeOnReuse = readBoolean(next.revokeOnReuse, 'entra.revokeOnReuse')
      const deployers = readArray(next.deployers, 'entra.deployers').map((deployer, at) =>
        readDeployer(deployer, `entra.deployers[${at}]`),
      )
      const registered = readById(next.applications, 'entra.applications', readApplication)
      const principals = readById(next.servicePrincipals, 'entra.servicePrincipals', readPrincipal)
      return () => {
        directory.users = users
        tenant.clientSecrets = clientSecrets
        storage.revokeOnReuse = revokeOnReuse
        applications.deployers = deployers
        applications.applications = registered
        applications.principals = principals
      }
    },
  }
}
