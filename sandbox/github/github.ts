import { timingSafeEqual } from 'node:crypto'
import sodium from 'libsodium-wrappers'
import type { ServerContext } from '../http/context.ts'
import type { HttpAnswer } from '../http/delivery.ts'
import type { Exchange } from '../http/exchange.ts'
import { faultAnswer, headersField, readStatus } from '../http/fault-answers.ts'
import { serve } from '../http/serve.ts'
import type { FaultAnswerReaders, Service } from '../http/service.ts'
import { listOf, parseObject, readFields, readString } from '../http/validation.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'
import { failed, type GitHubAnswer } from './answer.ts'
import { ledger } from './ledger.ts'
import { Repository } from './repository.ts'
import { gitHubAnswer } from './routes.ts'
import { gitHubState } from './state.ts'

/** What a client is configured with. */
export interface GitHubDescription {
  readonly github: {
    /** Root of the API, with a slash at its end, as the provider wants it. */
    readonly baseUrl: string
    readonly owner: string
    readonly repository: string
    /** May write secrets, variables and environments of the repository. */
    readonly token: string
  }
}

const owner = 'homeport'
const repositoryName = 'homeport'
const repositoryId = 100_001
const hosts: Readonly<Record<string, number>> = { 'api.github.com': 0 }
const bearer = /^(?:Bearer|token) +(\S+)$/i

/** Returns the refusal of a request without the token. */
function refuseStranger(authorization: string | undefined, token: string): GitHubAnswer | undefined {
  const given = bearer.exec(authorization ?? '')?.[1]
  if (given === undefined) return failed(401, 'Requires authentication')
  const [one, other] = [Buffer.from(given), Buffer.from(token)]
  const isToken = one.length === other.length && timingSafeEqual(one, other)
  return isToken ? undefined : failed(401, 'Bad credentials')
}

function segmentsOf(path: string): string[] | undefined {
  try {
    return path
      .replace(/^\/api\/v3(?=\/)/, '')
      .split('/')
      .slice(1)
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
}

const toHttp = ({ status, value }: GitHubAnswer): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: value === undefined ? '' : JSON.stringify(value),
})

/** Errors in GitHub's form, which has one message. */
const faultAnswers: FaultAnswerReaders = {
  errors: faultAnswer(
    {
      status: readStatus,
      errors: listOf((error, where) => readFields(error, where, { message: readString })),
      ...headersField,
    },
    ({ status, errors: [error], headers }) => {
      const answer = toHttp(failed(status, error?.message ?? 'A fault asked for this.'))
      return { replace: () => ({ ...answer, headers: { ...answer.headers, ...headers } }) }
    },
  ),
}

function gitHubService(repository: Repository, token: string, now: () => number): Service {
  function answerTo({ method, path, headers, body }: Exchange): GitHubAnswer {
    const refusal = refuseStranger(headers['authorization'], token)
    if (refusal) return refusal
    const sent = body.kind === 'text' ? parseObject(body.text) : {}
    const segments = segmentsOf(path)
    if (sent === undefined || segments === undefined) return failed(400, 'Problems parsing JSON')
    return gitHubAnswer([repository], { method, segments, sent, now: new Date(now()).toISOString() })
  }
  return {
    name: 'github',
    claim: head => instanceByHost(hosts, head),
    answer: exchange => toHttp(answerTo(exchange)),
    // Bodies contain secrets.
    redaction: { confidential: true, redact: text => text.replaceAll(token, '<GitHub token>') },
    faultAnswers,
    state: gitHubState(repository, now),
    ledger: [{ title: "GitHub's secrets and variables", entries: ledger }],
  }
}

/** Starts the part of GitHub's API that gives workflows secrets and variables, with one repository. @throws ListenError */
export async function startGitHub(
  context: ServerContext,
  port: number | undefined,
): Promise<GitHubDescription> {
  await sodium.ready
  const token = `github_pat_${context.ids().id()}`
  const service = gitHubService(new Repository(repositoryId, owner, repositoryName), token, () =>
    context.clock.now(),
  )
  const target = () => ({ service, instance: 0 })
  const { url } = await serve(context, { name: 'github', port, target })
  context.register(service)
  return { github: { baseUrl: `${url}/`, owner, repository: repositoryName, token } }
}
