import type { Exchange } from '../../http/exchange.ts'
import type { Tenant } from '../tenant.ts'
import type { LoginLedgerId } from './ledger.ts'

/** A request to the login service. */
export interface LoginCall extends Omit<Exchange, 'cite'> {
  readonly tenant: Tenant
  /** The parameters of the query. */
  readonly parameters: URLSearchParams
  /** The parameters of the body. */
  readonly form: URLSearchParams
  cite(id: LoginLedgerId): void
}

/** Parses the parameters of a request. Replaces a domain of the tenant in the path by the tenant id. */
export function loginCall(tenant: Tenant, exchange: Exchange): LoginCall {
  const { path, query, body } = exchange
  const [, authority = '', ...rest] = path.split('/')
  const isDomain = tenant.domains.includes(authority.toLowerCase())
  if (isDomain) exchange.cite('tenant.domain')
  return {
    ...exchange,
    path: isDomain ? `/${[tenant.tenantId, ...rest].join('/')}` : path,
    tenant,
    parameters: new URLSearchParams(query),
    form: new URLSearchParams(body.kind === 'text' ? body.text : ''),
  }
}
