import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { FaultError } from '../../http/faults.ts'
import { pathsOf, type Tenant } from '../tenant.ts'
import { problemOf, problems } from './aadsts.ts'
import { failedAuthorization } from './authorize.ts'
import { loginCall } from './call.ts'
import { jsonFailure } from './failures.ts'
import { errorPage } from './pages.ts'

/**
 * Returns the error that a fault names by AADSTS code, OAuth error, or both, in the format of the endpoint. Without a status,
 * authorize redirects to the application.
 */
export function loginError(
  tenant: Tenant,
  exchange: Exchange,
  { code, error, message }: FaultError = {},
  status?: number,
): HttpAnswer {
  const known = code === undefined ? null : problemOf(Number(code))
  const problem = {
    code: code === undefined ? problems.transient.code : Number(code),
    error: error ?? known?.error ?? problems.transient.error,
    status: status ?? known?.status ?? (error === undefined ? problems.transient.status : 400),
    message: message ?? known?.message ?? 'A fault requested this error.',
  }
  const call = loginCall(tenant, exchange)
  if (call.path === pathsOf(tenant.tenantId).token) return jsonFailure(call, problem)
  return status === undefined ? failedAuthorization(call, problem) : errorPage(call, problem, status)
}
