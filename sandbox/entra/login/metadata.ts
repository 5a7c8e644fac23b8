import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { pathsOf, type Tenant } from '../tenant.ts'

export const metadataPath = '/metadata/endpoints'

/** Returns the addresses of the services, which the azuread provider reads over HTTPS from `azuread:metadataHost`. */
export function metadataAnswer({ instance, graphUrl }: { instance: string; graphUrl: string }): HttpAnswer {
  const login = instance.replace(/\/$/, '')
  return jsonAnswer(200, {
    name: 'Homeport sandbox',
    authentication: {
      loginEndpoint: login,
      audiences: [graphUrl],
      tenant: 'common',
      identityProvider: 'AAD',
    },
    resourceManager: `${login}/arm`,
    microsoftGraphResourceId: `${graphUrl}/`,
  })
}

/**
 * Returns the discovery document of a tenant, without what no client here reads.
 * @param name in the path of the request. `organizations` stands for every tenant
 */
export function discoveryAnswer({ instance, tenantId, graphUrl }: Tenant, name = tenantId): HttpAnswer {
  const { authorize, token, logout, keys } = pathsOf(name)
  const at = (path: string) => `${instance.replace(/\/$/, '')}${path}`
  return jsonAnswer(200, {
    // documented: The issuer of `organizations` has {tenantid} in place of a tenant. [Microsoft identity platform, OpenID Connect]
    issuer: at(`/${name === tenantId ? tenantId : '{tenantid}'}/v2.0`),
    authorization_endpoint: at(authorize),
    token_endpoint: at(token),
    end_session_endpoint: at(logout),
    jwks_uri: at(keys),
    response_modes_supported: ['query', 'fragment', 'form_post'],
    response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
    subject_types_supported: ['pairwise'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    cloud_instance_name: new URL(instance).host,
    msgraph_host: new URL(graphUrl).host,
  })
}
