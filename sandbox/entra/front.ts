import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, textAnswer } from './answer.ts'
import { type Delivery, deliver } from './delivery.ts'
import { altered, replacement } from './fault-answers.ts'
import type { FaultPlace, Faults } from './faults.ts'
import { graphAnswer, mePath } from './graph/profile.ts'
import { applicationsAnswer, isAboutApplications } from './graph/routes.ts'
import { marksFor, type Problem, problems } from './login/aadsts.ts'
import { returnsToApplication, shapeAuthorization } from './login/authorize.ts'
import { clientCredentialsAnswer, isForItself } from './login/client-credentials.ts'
import { configurationAnswer } from './login/configuration.ts'
import { interactionAnswer, isInteraction } from './login/interaction.ts'
import { errorPage, nothingHere } from './login/pages.ts'
import type { OAuthProvider } from './login/provider.ts'
import { failedToken, refuseTokenRequest, shapeToken } from './login/token.ts'
import { metadataAnswer, metadataPath } from './metadata.ts'
import type { Requests } from './requests.ts'
import { flatHeaders, readBody, replay } from './server.ts'
import { pathsOf, type Tenant } from './tenant.ts'

/** One request whose body has been read. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One of the two origins. */
interface Origin {
  /** Which operation, as faults call it, a request is. */
  placeOf(method: string, path: string): FaultPlace | undefined
  answer(exchange: Exchange, ignoreVerifier: boolean): Promise<Answer>
}

const tenantPath =
  /^\/([^/]+)\/(oauth2\/v2\.0\/(?:authorize|token|logout)|discovery\/v2\.0\/keys|v2\.0\/\.well-known\/)/
const tenantAliases: Readonly<Record<string, Problem>> = {
  common: problems.notMultiTenant,
  organizations: problems.notMultiTenant,
  consumers: problems.notConsumer,
}

/** The login service: authorize, token, logout, keys and configuration of one tenant, and its sign-in page. */
export const loginOrigin = (tenant: Tenant, provider: OAuthProvider): Origin => {
  const paths = pathsOf(tenant.tenantId)
  // The library makes addresses of the Host it is given: it is given ours, whatever the client sent.
  const host = new URL(tenant.instance).host

  const refuseTenant = (asked: string, { path, headers }: Exchange): Answer => {
    const cause = (Object.hasOwn(tenantAliases, asked) && tenantAliases[asked]) || problems.unknownTenant
    const marks = marksFor(tenant.ids, headers['client-request-id'])
    return path.endsWith('/token') ? failedToken(cause, marks, tenant) : errorPage(cause, marks)
  }

  const tokenAnswer = async (exchange: Exchange, ignoreVerifier: boolean): Promise<Answer> => {
    const { request, response, headers, path, query } = exchange
    const marks = marksFor(tenant.ids, headers['client-request-id'])
    const form = new URLSearchParams(exchange.body)
    if (isForItself(form)) return clientCredentialsAnswer(tenant, form, marks)
    const refusal = refuseTokenRequest(headers, form)
    if (refusal !== undefined) return failedToken(refusal, marks, tenant)
    let { body } = exchange
    if (ignoreVerifier) {
      form.delete('code_verifier')
      body = form.toString()
      tenant.storage.forgetChallenge(form.get('code') ?? '')
    }
    const copy = replay(request, { url: query === '' ? path : `${path}?${query}`, body, host })
    return shapeToken(await provider.answer(copy, response), form, marks, tenant)
  }

  const answer = async (exchange: Exchange, ignoreVerifier: boolean): Promise<Answer> => {
    const { request, response, method, path, query, headers, body } = exchange
    const url = query === '' ? path : `${path}?${query}`
    const copy = replay(request, { url, body, host })
    const marks = () => marksFor(tenant.ids, headers['client-request-id'])
    if (isInteraction(tenant, path)) {
      const form = new URLSearchParams(body)
      return interactionAnswer(tenant, provider, { request: copy, response }, path, form, marks())
    }
    if (path === metadataPath) return metadataAnswer(tenant)
    const asked = tenantPath.exec(path)?.[1]
    if (asked === undefined) return nothingHere(path)
    if (asked !== tenant.tenantId) return refuseTenant(asked, exchange)
    if (path === paths.configuration) return configurationAnswer(tenant)
    if (path === paths.token && method === 'POST') return tokenAnswer(exchange, ignoreVerifier)
    const answered = await provider.answer(copy, response)
    if (answered.answer.status === 404) return nothingHere(path)
    if (path.startsWith(paths.authorize)) {
      return shapeAuthorization(answered, new URLSearchParams(query), marks(), tenant)
    }
    return answered.failure === undefined ? answered.answer : errorPage(problems.malformedRequest, marks())
  }

  return {
    placeOf: (method, path) => {
      if (path === paths.authorize) return 'authorize'
      return path === paths.token && method === 'POST' ? 'token' : undefined
    },
    answer,
  }
}

/** The directory API, on an origin of its own as in every cloud. */
export const graphOrigin = (tenant: Tenant, provider: OAuthProvider): Origin => ({
  placeOf: (_, path) => {
    if (path === mePath) return 'me'
    return isAboutApplications(path) ? 'applications' : undefined
  },
  answer: async exchange =>
    isAboutApplications(exchange.path)
      ? applicationsAnswer(tenant, exchange)
      : graphAnswer(tenant, provider, exchange),
})

const deliveryOf = async (
  tenant: Tenant,
  origin: Origin,
  faults: Faults,
  exchange: Exchange,
): Promise<Delivery> => {
  const { method, path, headers } = exchange
  const place = origin.placeOf(method, path)
  const fault = place && faults.take(place, { method, path })
  if (fault !== undefined) {
    const marks = marksFor(tenant.ids, headers['client-request-id'])
    const instead = replacement(tenant, fault, { query: new URLSearchParams(exchange.query), marks })
    if (instead !== undefined) {
      if (fault.commit === true) await origin.answer(exchange, false)
      return instead
    }
  }
  const real = await origin.answer(exchange, fault?.kind === 'ignore-verifier')
  if (fault !== undefined) return altered(tenant, fault, real)
  const onReturn = returnsToApplication(real, tenant.redirectUris)
    ? faults.take('authorize', { method, path }, true)
    : undefined
  return onReturn === undefined ? { how: 'whole', answer: real } : altered(tenant, onReturn, real)
}

/** Answers requests to an origin: notes each, lets a fault have its way, answers. */
export const requestHandler =
  (tenant: Tenant, origin: Origin, faults: Faults, requests: Requests) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const method = request.method ?? ''
    const [path = '/', ...rest] = (request.url ?? '/').split('?')
    const query = rest.join('?')
    const headers = flatHeaders(request)
    const entry = requests.open(method, path, query, headers)
    const body = await readBody(request)
    const begun = (status: number) => entry.status(status)
    if (body === undefined) {
      deliver(response, { how: 'whole', answer: textAnswer(413, 'The body is larger than 1 MiB.\n') }, begun)
      return
    }
    entry.body(body)
    const exchange = { request, response, method, path, query, headers, body }
    deliver(response, await deliveryOf(tenant, origin, faults, exchange), begun)
  }
