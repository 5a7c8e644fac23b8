import { SeededIds } from '../http/seeded-ids.ts'
import { type EntraFault, Faults } from './faults.ts'
import { graphOrigin, loginOrigin, requestHandler } from './front.ts'
import { Applications, type Deployer, newClientSecret } from './graph/applications.ts'
import { oauthProvider } from './login/provider.ts'
import { Storage } from './login/storage.ts'
import { type EntraRequest, Requests } from './requests.ts'
import { type Listening, type OnRequest, serve, type TlsFiles } from './server.ts'
import type { Secrets, Tenant } from './tenant.ts'
import { Directory, defaultUsers, type EntraUser } from './users.ts'

export type { EntraFault } from './faults.ts'
export type { EntraRequest } from './requests.ts'
export type { EntraUser } from './users.ts'

export interface EntraOptions {
  /** Port of the login service. 0 and absent mean any free one. */
  readonly port?: number
  /** Port of the directory API, likewise. */
  readonly graphPort?: number
  /** PEM of a key and its certificate: both origins are https then. */
  readonly tls?: TlsFiles
  /** The name of this machine in every address. Default `127.0.0.1`. */
  readonly host?: '127.0.0.1' | 'localhost'
  /** The application's registered redirect URIs; a request must have one of them character for character. */
  readonly redirectUris: readonly string[]
  /** Every identifier and secret follows from it. Default 1. */
  readonly seed?: number
  /** Who is in the directory; a few of each sort unless given. */
  readonly users?: readonly EntraUser[]
  /** Whether a code redeemed twice takes its access token with it, as RFC 6749 (4.1.2) recommends. Default false. */
  readonly revokeOnReuse?: boolean
}

/** What a client is configured with. */
export interface EntraDescription {
  /** Base of the login service, with a slash at its end. The authority is this and the tenant id. */
  readonly instance: string
  /** Origin of the directory API, without a slash: the profile is at `/v1.0/me` below it. */
  readonly graphUrl: string
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret: string
  /** Who registers applications: signs in by its own credential and may write what it owns. */
  readonly deployer: Deployer
  /** As at the start. */
  readonly users: readonly EntraUser[]
}

/** A running stand-in for Entra and the directory API behind it. */
export interface Entra {
  readonly description: EntraDescription
  /** What was registered since the start. */
  readonly applications: Applications
  /** What both origins were asked, oldest first. */
  readonly requests: readonly EntraRequest[]
  clearRequests(): void
  /** Replaces the directory. Sessions and tokens of whoever stays, by id, stay. @throws TypeError on a duplicate */
  setUsers(users: readonly EntraUser[]): void
  /** Puts these faults in the place of all. @throws TypeError on a fault that cannot be */
  setFaults(faults: readonly EntraFault[]): void
  /** Replaces the client secrets: any of the live ones is accepted, an expired one is refused as such. */
  setSecrets(live: readonly string[], expired?: readonly string[]): void
  /** Has every code that was issued until now be past its ten minutes. */
  expireCodes(): void
  /** Has every access token that was issued until now be past its end. */
  expireTokens(): void
  /** Ends both origins and every connection. */
  close(): Promise<void>
}

/**
 * Starts the stand-in on loopback: one tenant, one confidential application, one directory.
 * Rejects with Node's error (`EADDRINUSE`, `EACCES`) when a port cannot be had; nothing is left running then.
 */
export const startEntra = async (options: EntraOptions): Promise<Entra> => {
  const { tls, host = '127.0.0.1', redirectUris, revokeOnReuse = false } = options
  const ids = new SeededIds(options.seed ?? 1, 'entra')
  const [tenantId, clientId, clientSecret] = [ids.uuid(), ids.uuid(), newClientSecret(ids)]
  const directory = new Directory(options.users ?? defaultUsers(ids))
  const applicationIds = new SeededIds(options.seed ?? 1, 'applications')
  const applications = new Applications(applicationIds)
  const storage = new Storage(revokeOnReuse)
  const faults = new Faults()
  let secrets: Secrets = { live: [clientSecret], expired: [] }
  const requests = new Requests(() => [...secrets.live, ...secrets.expired, ...applications.secrets()])

  // Addresses are known only once both listen; nobody has them before `handlers` is complete.
  const handlers: { login?: OnRequest; graph?: OnRequest } = {}
  const running: Listening[] = []
  const close = async () => {
    await Promise.all(running.map(listening => listening.close()))
  }
  const listen = async (which: 'login' | 'graph', port = 0): Promise<string> => {
    const listening = await serve(port, tls, async (request, response) => {
      await handlers[which]?.(request, response)
    })
    running.push(listening)
    return `${tls ? 'https' : 'http'}://${host}:${listening.port}`
  }
  try {
    const instance = `${await listen('login', options.port)}/`
    const graphUrl = await listen('graph', options.graphPort)
    const tenant: Tenant = {
      instance,
      graphUrl,
      tenantId,
      clientId,
      get redirectUris() {
        return [...redirectUris, ...applications.redirectUris()]
      },
      directory,
      storage,
      ids,
      applications,
      applicationIds,
      secrets: () => secrets,
    }
    const provider = await oauthProvider(tenant)
    handlers.login = requestHandler(tenant, loginOrigin(tenant, provider), faults, requests)
    handlers.graph = requestHandler(tenant, graphOrigin(tenant, provider), faults, requests)
    return {
      description: {
        instance,
        graphUrl,
        tenantId,
        clientId,
        clientSecret,
        deployer: applications.deployer,
        users: directory.all(),
      },
      applications,
      get requests() {
        return requests.all()
      },
      clearRequests: () => requests.empty(),
      setUsers: users => directory.replace(users),
      setFaults: wanted => faults.replace(wanted),
      setSecrets: (live, expired = []) => {
        secrets = { live: [...live], expired: [...expired] }
      },
      expireCodes: () => storage.expire('AuthorizationCode'),
      expireTokens: () => storage.expire('AccessToken'),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
