import type { Clock } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import type { Applications } from './graph/applications.ts'
import type { AssertionCredentials } from './graph/credentials.ts'
import type { OAuthStorage } from './login/storage.ts'
import type { Users } from './users.ts'

/** The client secrets of the first application. */
export interface ClientSecrets {
  readonly live: readonly string[]
  /** Known but expired. */
  readonly expired: readonly string[]
}

/** The tenant that the login service and Graph share. */
export interface Tenant {
  /** The base URL of the login service, with a trailing slash. */
  readonly instance: string
  /** The origin of Graph, without a trailing slash. */
  readonly graphUrl: string
  readonly tenantId: string
  /** The client id of the first application. */
  readonly clientId: string
  /** The redirect URIs of all applications that users can sign in to. */
  readonly redirectUris: readonly string[]
  readonly clock: Clock
  readonly users: Users
  readonly storage: OAuthStorage
  readonly ids: SeededIds
  /** The applications registered while the sandbox runs, and those that can register them. */
  readonly applications: Applications
  readonly applicationIds: SeededIds
  clientSecrets: ClientSecrets
  /** The credentials of the first application besides its secrets. */
  credentials: AssertionCredentials
}

/** Returns the credentials of an application besides secrets. Returns null if the application is unknown. */
export function credentialsOf(tenant: Tenant, clientId: string): AssertionCredentials | null {
  return clientId === tenant.clientId ? tenant.credentials : tenant.applications.byAppId(clientId)
}

/** The scope that lets an application read the profile of the signed-in user: the only one that applications can request. */
export const profileScope = 'User.Read'
/** The address of Graph in the public cloud, which is the default of clients. */
const publicGraph = 'https://graph.microsoft.com/'

/** Returns the scopes with which an application gets a token for itself. */
export const defaultScopes = ({ graphUrl }: Tenant): string[] => [
  `${graphUrl}/.default`,
  `${publicGraph}.default`,
]

/** Returns the paths of the login service for its tenant. */
export const pathsOf = (tenantId: string) => ({
  authorize: `/${tenantId}/oauth2/v2.0/authorize`,
  token: `/${tenantId}/oauth2/v2.0/token`,
  logout: `/${tenantId}/oauth2/v2.0/logout`,
  keys: `/${tenantId}/discovery/v2.0/keys`,
  interaction: '/interaction',
})
