import type { HttpAnswer } from '../../http/delivery.ts'
import type { Service } from '../../http/emulated-service.ts'
import type { Exchange } from '../../http/exchange.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import type { Tenant } from '../tenant.ts'
import { failure, type GraphCall } from './call.ts'
import { type FindToken, profileAnswer } from './profile.ts'
import { applicationsAnswer, isAboutApplications } from './routes.ts'

const hosts: Readonly<Record<string, number>> = { 'graph.microsoft.com': 0 }

/** Returns the service of Microsoft Graph: the profile of the signed-in user, applications and service principals. */
export function graphService(tenant: Tenant, findToken: FindToken): Service {
  function answer({ method, path: sent, headers, query, body }: Exchange): HttpAnswer | Promise<HttpAnswer> {
    const path = sent.replaceAll(/\/{2,}/g, '/')
    // observed: Slashes that repeat in a path count as one. [clients of 2026 that join a base URL with a final slash and a path
    // report success]
    const call: GraphCall = { tenant, method, path, headers, query: new URLSearchParams(query) }
    return isAboutApplications(path)
      ? applicationsAnswer(call, body.toString())
      : profileAnswer(call, findToken)
  }
  return {
    name: 'graph',
    claim: head => instanceByHost(hosts, head),
    answer,
    errorAnswer: ({ headers }, [error], status = 400) =>
      failure(
        { tenant, headers },
        status,
        String(error?.code ?? 'UnknownError'),
        error?.message ?? 'A fault.',
      ),
  }
}
