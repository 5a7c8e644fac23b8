import type { HttpAnswer } from '../../http/delivery.ts'
import type { Exchange } from '../../http/exchange.ts'
import { readErrorAnswer, readStatus } from '../../http/fault-answers.ts'
import type { FaultAnswerReaders, Service } from '../../http/service.ts'
import { readObject, readString } from '../../http/validation.ts'
import { instanceByHost } from '../../http/virtual-hosts.ts'
import { textAnswer } from '../answer.ts'
import type { OAuthProvider } from '../login/provider.ts'
import type { Tenant } from '../tenant.ts'
import { graphAreas } from './ledger.ts'
import { graphFailure, profileAnswer } from './profile.ts'
import { applicationsAnswer, isAboutApplications } from './routes.ts'

const hosts: Readonly<Record<string, number>> = { 'graph.microsoft.com': 0 }

function readGraphError(value: unknown, where: string) {
  const { code, message } = readObject(value, where, ['code', 'message'])
  return {
    code: readString(code, `${where}.code`),
    message: readString(message ?? 'A fault asked for this.', `${where}.message`),
  }
}

/** Errors in the directory's form. */
const faultAnswers = (tenant: Tenant): FaultAnswerReaders => ({
  errors(value, where) {
    const { errors, headers, fields } = readErrorAnswer(value, where, readGraphError)
    const status = readStatus(value['status'], where)
    const [{ code, message } = { code: 'UnknownError', message: '' }] = errors
    return {
      fields: { status, ...fields },
      replace: () => graphFailure(tenant, status, code, message, { headers }),
    }
  },
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
