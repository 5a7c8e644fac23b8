import type { SeededIds } from '../../http/seeded-ids.ts'
import type { AssertionCredentials } from './credentials.ts'
import type { PrincipalSettings, Registration } from './registration.ts'

/** A client secret of a registered application. */
export interface Password {
  readonly keyId: string
  readonly displayName: string | null
  readonly secretText: string
  /** In RFC 3339, to the second. */
  readonly startDateTime: string
  /** In RFC 3339, to the second. From this time on, the secret is refused. */
  readonly endDateTime: string
}

/** An application permission granted to a service principal by an administrator. */
export interface AppRoleAssignment {
  readonly id: string
  readonly appRoleId: string
  /** The object ID of the service principal that defines the permission, such as Graph's. */
  readonly resourceId: string
}

/** The permissions on applications that are known here, by the id of the app role (Graph permissions reference). */
const permissions: Readonly<Record<string, Permission>> = {
  '18a4783c-866b-4cc7-a460-3d5e5662c884': 'Application.ReadWrite.OwnedBy',
  '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30': 'Application.Read.All',
}
export type Permission = 'Application.ReadWrite.OwnedBy' | 'Application.Read.All'

/** A registered application. */
export interface Application extends Registration, AssertionCredentials {
  /** The object ID. `appId` is the client id. */
  readonly id: string
  readonly appId: string
  /** In RFC 3339, to the second. */
  readonly createdDateTime: string
  /** By object ID. */
  readonly owners: readonly string[]
  readonly passwords: readonly Password[]
}

const shownCharacters = 3

/** Returns a password as served, without its value. */
export const passwordView = ({ secretText, ...password }: Password) => ({
  customKeyIdentifier: null,
  ...password,
  hint: secretText.slice(0, shownCharacters),
  secretText: null,
})

/** The service principal of an application. */
export interface ServicePrincipal extends PrincipalSettings {
  readonly id: string
  readonly appId: string
  readonly owners: readonly string[]
  /** Its own, besides those of its application. */
  readonly passwords: readonly Password[]
  readonly appRoleAssignments: readonly AppRoleAssignment[]
  /** Delegated permissions that somebody consented to for it. */
  readonly oauth2PermissionGrants: readonly { readonly id: string; readonly scope: string }[]
}

/** An application with Application.ReadWrite.OwnedBy. It is not in the list of applications. */
export interface Deployer {
  readonly clientId: string
  readonly clientSecret: string
  /** The object ID of its service principal. */
  readonly objectId: string
}

/** The application that an access token was issued to. */
export interface Bearer {
  readonly appId: string
  readonly objectId: string
  /** Those that it had when the token was issued. */
  readonly permissions: readonly Permission[]
  /** When the token expires, in milliseconds since 1970. */
  readonly until: number
}

/** Whether a client secret is accepted. */
export type SecretState = 'live' | 'expired' | 'unknown'

/**
 * Returns a client secret of 40 characters. Like those of Entra, it has a tilde near the fifth character (observed in
 * listings of the portal). It also has `+`, `/` and `=`, to reveal clients that do not encode them.
 */
export function newClientSecret(ids: SeededIds): string {
  const text = ids.text(36)
  return `${text.slice(0, 5)}~${text.slice(5, 15)}+${text.slice(15, 25)}/${text.slice(25)}=`
}

/** The registered applications, their service principals, and the access tokens of applications. */
export class Applications {
  /** The deployer in the sandbox's description. */
  readonly deployer: Deployer
  applications: Map<string, Application> = new Map()
  principals: Map<string, ServicePrincipal> = new Map()
  readonly #bearers = new Map<string, Bearer>()

  constructor(ids: SeededIds) {
    this.deployer = { clientId: ids.uuid(), clientSecret: newClientSecret(ids), objectId: ids.uuid() }
  }

  byAppId(appId: string): Application | null {
    return [...this.applications.values()].find(application => application.appId === appId) ?? null
  }

  principalOf(appId: string): ServicePrincipal | null {
    return [...this.principals.values()].find(principal => principal.appId === appId) ?? null
  }

  /** Returns the permissions that an administrator has granted to an application. */
  permissionsOf(appId: string): Permission[] {
    const granted = this.principalOf(appId)?.appRoleAssignments ?? []
    return granted.flatMap(({ appRoleId }) => permissions[appRoleId] ?? [])
  }

  /**
   * Checks a client secret against every password of an application and its service principal.
   * @param nowMs milliseconds since 1970
   */
  secretState({ appId, passwords }: Application, secret: string, nowMs: number): SecretState {
    const all = [...passwords, ...(this.principalOf(appId)?.passwords ?? [])]
    const password = all.find(({ secretText }) => secretText === secret)
    if (password === undefined) return 'unknown'
    return Date.parse(password.endDateTime) > nowMs ? 'live' : 'expired'
  }

  redirectUris(): string[] {
    return [...this.applications.values()].flatMap(({ web }) => [...web.redirectUris])
  }

  admit(token: string, bearer: Bearer): void {
    this.#bearers.set(token, bearer)
  }

  bearer(token: string, nowMs: number): Bearer | null {
    const bearer = this.#bearers.get(token)
    return bearer !== undefined && bearer.until > nowMs ? bearer : null
  }
}
