import type { ServiceState } from '../http/emulated-service.ts'
import type { Application, ServicePrincipal } from './graph/applications.ts'
import type { AssertionCredentials } from './graph/credentials.ts'
import { readPrincipalSettings, readRegistration } from './graph/registration.ts'
import type { ClientSecrets, Tenant } from './tenant.ts'
import type { EntraUser } from './users.ts'

/** The tenant in `/state`. In a change, an omitted key keeps its value. */
export interface EntraState {
  readonly users: readonly EntraUser[]
  /** The client secrets of the first application. */
  readonly clientSecrets: ClientSecrets
  /** The certificates and federated credentials of the first application. */
  readonly credentials: AssertionCredentials
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
    applications: [...applications.applications.values()],
    servicePrincipals: [...applications.principals.values()],
  })
  return {
    keys: ['entra'],
    read: () => ({ entra: read() }),
    replace({ entra }) {
      if (entra === undefined) return
      const next = { ...read(), ...(entra as Partial<EntraState>) }
      users.all = next.users.map(user => ({ ...user, mail: user.mail ?? null }))
      tenant.clientSecrets = next.clientSecrets
      tenant.credentials = next.credentials
      applications.applications = byId(
        next.applications.map(application => ({
          ...readRegistration({ displayName: application.displayName }),
          ...{ keyCredentials: [], federatedIdentityCredentials: [] },
          ...application,
        })),
      )
      applications.principals = byId(
        next.servicePrincipals.map(principal => ({
          ...readPrincipalSettings({}),
          ...{ passwords: [], appRoleAssignments: [], oauth2PermissionGrants: [] },
          ...principal,
        })),
      )
    },
  }
}
