import { credentialsOf, type Tenant } from '../tenant.ts'
import { isGuid, type Problem, problems } from './aadsts.ts'
import { refuseAssertion } from './assertion.ts'
import type { LoginCall } from './call.ts'

/** Checks a client secret against all of an application. */
function refuseSecret(tenant: Tenant, clientId: string, secret: string): Problem | null {
  const { applications, clientSecrets, clock } = tenant
  const application = applications.byAppId(clientId)
  // documented: Every unexpired password authenticates its application, including those of its service principal. [Microsoft
  // identity platform, OAuth 2.0 client credentials flow; Graph REST reference v1.0, servicePrincipal]
  const { live, expired } = application
    ? applications.clientSecretsOf(application, clock.now())
    : clientSecrets
  if (live.includes(secret)) return null
  return expired.includes(secret) ? problems.expiredSecret : problems.wrongSecret
}

/** Authenticates the application that sends a token request, by a secret or an assertion. */
export async function refuseClient(call: LoginCall): Promise<Problem | null> {
  const { tenant, form } = call
  const clientId = form.get('client_id') ?? ''
  const credentials = credentialsOf(tenant, clientId)
  if (credentials === null) return isGuid(clientId) ? problems.unknownClient : problems.malformedClient
  if (form.has('client_assertion')) return refuseAssertion(call, credentials)
  const secret = form.get('client_secret')
  return secret ? refuseSecret(tenant, clientId, secret) : problems.missingSecret
}
