import type { HttpAnswer } from '../../http/delivery.ts'
import { jsonAnswer } from '../answer.ts'
import { pathsOf, type Tenant } from '../tenant.ts'

/**
 * Returns the tenant's OpenID configuration with the fields that Entra publishes. It mentions neither `User.Read` nor PKCE,
 * although both work (observed).
 */
export function configurationAnswer({ instance, graphUrl, tenantId }: Tenant): HttpAnswer {
  const at = (path: string) => `${instance.slice(0, -1)}${path}`
  const { authorize, token, logout, keys } = pathsOf(tenantId)
  return jsonAnswer(200, {
    token_endpoint: at(token),
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
    jwks_uri: at(keys),
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    issuer: `${instance}${tenantId}/v2.0`,
    request_uri_parameter_supported: false,
    authorization_endpoint: at(authorize),
    end_session_endpoint: at(logout),
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'nonce',
      'name',
      'preferred_username',
      'oid',
      'tid',
      'ver',
      'email',
    ],
    msgraph_host: new URL(graphUrl).host,
  })
}
