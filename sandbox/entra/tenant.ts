import type { Clock } from '../http/clock.ts'
import type { SeededIds } from '../http/seeded-ids.ts'
import type { Applications, ClientSecrets } from './graph/applications.ts'
import type { AssertionCredentials } from './graph/credentials.ts'
import type { SignIns } from './login/sign-ins.ts'
import type { Users } from './users.ts'

/** The tenant that the login service and Graph share. */
export interface Tenant {
  /** The base URL of the login service, with a trailing slash. */
  readonly instance: string
  /** The origin of Graph, without a trailing slash. */
  readonly graphUrl: string
  readonly tenantId: string
  /** The client id of the first application. */
  readonly clientId: string
  /** The redirect URIs of the first application. */
  readonly redirectUris: readonly string[]
  readonly clock: Clock
  readonly users: Users
  readonly signIns: SignIns
  readonly ids: SeededIds
  /** The applications registered while the sandbox runs, and those that can register them. */
  readonly applications: Applications
  readonly applicationIds: SeededIds
  /** The secrets of the first application. */
  clientSecrets: ClientSecrets
  /** The credentials of the first application besides its secrets. */
  credentials: AssertionCredentials
}

/** Returns the credentials of an application besides secrets. Returns null if the application is unknown. */
export function credentialsOf(tenant: Tenant, clientId: string): AssertionCredentials | null {
  return clientId === tenant.clientId ? tenant.credentials : tenant.applications.byAppId(clientId)
}

/** Returns the redirect URIs of an application, or null if it is unknown. */
export function redirectUrisOf(tenant: Tenant, clientId: string): readonly string[] | null {
  if (clientId === tenant.clientId) return tenant.redirectUris
  return tenant.applications.byAppId(clientId)?.web.redirectUris ?? null
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
