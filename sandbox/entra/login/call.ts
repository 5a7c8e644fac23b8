import type { Exchange } from '../../http/exchange.ts'
import type { Tenant } from '../tenant.ts'

/** A request to the login service. */
export interface LoginCall extends Exchange {
  readonly tenant: Tenant
  /** The parameters of the query. */
  readonly parameters: URLSearchParams
  /** The parameters of the body. */
  readonly form: URLSearchParams
}

/** Parses the parameters of a request. Replaces a domain of the tenant in the path by the tenant id. */
export function loginCall(tenant: Tenant, exchange: Exchange): LoginCall {
  const { path, query, body } = exchange
  const [, authority = '', ...rest] = path.split('/')
  const isDomain = tenant.domains.includes(authority.toLowerCase())
  // documented: A domain of the tenant can replace its id in every path. The issuer always contains the id. [Microsoft identity
  // platform, OpenID Connect]
  return {
    ...exchange,
    path: isDomain ? `/${[tenant.tenantId, ...rest].join('/')}` : path,
    tenant,
    parameters: new URLSearchParams(query),
    form: new URLSearchParams(body.kind === 'text' ? body.text : ''),
  }
}
