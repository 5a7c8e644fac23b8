import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import type { Tenant } from '../tenant.ts'

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

export const discoveryPath = '/common/discovery/instance'

/** Other names of the login service in the public cloud, as the real service lists them. */
const publicNames = [
  'login.microsoftonline.com',
  'login.windows.net',
  'login.microsoft.com',
  'sts.windows.net',
]

/** Returns where the configuration of a tenant is, which MSAL reads before its first request to an authority. */
export function discoveryAnswer({ instance, tenantId }: Tenant): HttpAnswer {
  const { host } = new URL(instance)
  return jsonAnswer(200, {
    tenant_discovery_endpoint: `${instance}${tenantId}/v2.0/.well-known/openid-configuration`,
    'api-version': '1.1',
    metadata: [
      { preferred_network: host, preferred_cache: host, aliases: [...new Set([host, ...publicNames])] },
    ],
  })
}
