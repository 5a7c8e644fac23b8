import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange } from '../../http/exchange.ts'
import { faultAnswer, headersField, readStatus } from '../../http/fault-answers.ts'
import type { FaultAnswerReaders, Service } from '../../http/service.ts'
import { listOf, readFields, readString, withDefault } from '../../http/validation.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import { textAnswer } from '../answer.ts'
import type { OAuthProvider } from '../login/provider.ts'
import type { Tenant } from '../tenant.ts'
import { graphAreas } from './ledger.ts'
import { graphFailure, profileAnswer } from './profile.ts'
import { applicationsAnswer, isAboutApplications } from './routes.ts'

const hosts: Readonly<Record<string, number>> = { 'graph.microsoft.com': 0 }

const errorFields = { code: readString, message: withDefault('A fault asked for this.', readString) }

/** Returns the directory's own kinds of fault answer. */
const faultAnswers = (tenant: Tenant): FaultAnswerReaders => ({
  errors: faultAnswer(
    {
      status: readStatus,
      errors: listOf((error, where) => readFields(error, where, errorFields)),
      ...headersField,
    },
    ({ status, errors: [{ code, message } = { code: 'UnknownError', message: '' }], headers }) => ({
      replace: () => graphFailure(tenant, status, code, message, { headers }),
    }),
  ),
})

/** Returns the directory service: the profile of the signed-in user, applications and service principals. */
export function graphService(tenant: Tenant, provider: OAuthProvider): Service {
  function answer(exchange: Exchange): HttpAnswer | Promise<HttpAnswer> {
    const { path, body } = exchange
    if (body.kind === 'oversized') return textAnswer(413, 'The body is larger than 1 MiB.\n')
    return isAboutApplications(path)
      ? applicationsAnswer(tenant, exchange, body.kind === 'text' ? body.text : '')
      : profileAnswer(tenant, provider, exchange)
  }
  return {
    name: 'graph',
    claim: head => instanceByHost(hosts, head),
    answer,
    faultAnswers: faultAnswers(tenant),
    ledger: graphAreas,
  }
}
