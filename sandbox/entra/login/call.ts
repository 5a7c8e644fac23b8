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

/** Parses the parameters of a request. */
export function loginCall(tenant: Tenant, exchange: Exchange): LoginCall {
  const { query, body } = exchange
  return {
    ...exchange,
    tenant,
    parameters: new URLSearchParams(query),
    form: new URLSearchParams(body.toString()),
  }
}
