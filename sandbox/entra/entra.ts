import type { ServerContext } from '../http/context.ts'
import type { Service } from '../http/emulated-service.ts'
import { serve } from '../http/serve.ts'
import { loopback } from '../http/server.ts'
import { Applications, type Deployer, newClientSecret } from './graph/applications.ts'
import { graphService } from './graph/graph-service.ts'
import { loginService } from './login/login-service.ts'
import { oauthProvider } from './login/provider.ts'
import { OAuthStorage } from './login/storage.ts'
import { entraState } from './state.ts'
import type { Tenant } from './tenant.ts'
import { defaultUsers, type EntraUser, Users } from './users.ts'

export interface EntraOptions {
  /** The redirect URIs of the first application. A request must match one character for character. */
  readonly redirectUris: readonly string[]
  /** Whether to serve both origins over HTTPS, as `localhost`. Default false. */
  readonly secure?: boolean
}

/** The values to configure a client with. */
export interface EntraDescription {
  readonly entra: {
    /** The base URL of the login service, with a trailing slash. An authority is this and the tenant id. */
    readonly instance: string
    /** The origin of Graph, without a trailing slash. The profile is at `/v1.0/me`. */
    readonly graphUrl: string
    /** The host and port of the metadata, over HTTPS: `azuread:metadataHost`. */
    readonly metadataHost: string
    readonly tenantId: string
    readonly clientId: string
    readonly clientSecret: string
    /** The first of the redirect URIs. */
    readonly redirectUri: string
    /** An application that can register others and change those that it owns. */
    readonly deployer: Deployer
    /** The initial users. */
    readonly users: readonly EntraUser[]
  }
}

/**
 * Starts the login service and Graph, with one tenant, one confidential application and a few users.
 * @param httpsPort the shared port that serves the metadata
 */
export async function startEntra(
  context: ServerContext,
  { redirectUris, secure = false }: EntraOptions,
  httpsPort: number,
): Promise<EntraDescription> {
  const services: { login?: Service; graph?: Service } = {}
  const open = async (name: 'login' | 'graph'): Promise<string> => {
    // The services need these origins, and are there before anybody knows them.
    const target = () => ({ service: services[name] as Service, instance: 0 })
    const { url } = await serve(context, { secure, target })
    return secure ? url.replace(loopback, 'localhost') : url
  }
  const login = await open('login')
  const graphUrl = await open('graph')
  const instance = `${login}/`
  const ids = context.ids('entra')
  const applicationIds = context.ids('applications')
  const [tenantId, clientId, clientSecret] = [ids.uuid(), ids.uuid(), newClientSecret(ids)]
  const applications = new Applications(applicationIds)
  const tenant: Tenant = {
    instance,
    graphUrl,
    tenantId,
    clientId,
    get redirectUris() {
      return [...redirectUris, ...applications.redirectUris()]
    },
    clock: context.clock,
    users: new Users(defaultUsers(ids)),
    storage: new OAuthStorage(context.clock),
    ids,
    applications,
    applicationIds,
    clientSecrets: { live: [clientSecret], expired: [] },
    credentials: { keyCredentials: [], federatedIdentityCredentials: [] },
  }
  const provider = await oauthProvider(tenant)
  services.login = { ...loginService(tenant, provider), state: entraState(tenant) }
  services.graph = graphService(
    tenant,
    async value => (await provider.library.AccessToken.find(value)) ?? null,
  )
  context.register(services.login, services.graph)
  return {
    entra: {
      instance,
      graphUrl,
      metadataHost: `${loopback}:${httpsPort}`,
      tenantId,
      clientId,
      clientSecret,
      redirectUri: redirectUris[0] ?? '',
      deployer: applications.deployer,
      users: tenant.users.all,
    },
  }
}
