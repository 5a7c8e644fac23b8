import sodium from 'libsodium-wrappers'
import { formatSecond } from '../http/clock.ts'
import type { ServerContext } from '../http/context.ts'
import type { Service } from '../http/emulated-service.ts'
import type { Exchange } from '../http/exchange.ts'
import { serve } from '../http/serve.ts'
import { parseObject } from '../http/validation.ts'
import { instanceByHost } from '../http/virtual-hosts.ts'
import { failed, type GitHubAnswer, toHttp } from './answer.ts'
import { Repository } from './repository.ts'
import { gitHubAnswer } from './routes.ts'
import { gitHubState } from './state.ts'
import { accessToAll, authenticate, type GitHubToken, type GitHubTokens } from './tokens.ts'

/** The values to configure a client with. */
export interface GitHubDescription {
  readonly github: {
    /** The root of the API, with a trailing slash, which the provider requires. */
    readonly baseUrl: string
    readonly owner: string
    readonly repository: string
    /** A fine-grained token that can write everything in the repository. */
    readonly token: string
    /** The `GITHUB_TOKEN` of a workflow with `actions: read` and `issues: write`. Tests can change its permissions in `/state`. */
    readonly workflowToken: string
  }
}

const hosts: Readonly<Record<string, number>> = { 'api.github.com': 0 }

function segmentsOf(path: string): string[] | null {
  try {
    return path.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return null
  }
}

function gitHubService(repository: Repository, tokens: GitHubTokens, now: () => string): Service {
  const all = Object.values<GitHubToken>({ ...tokens })

  function answerTo({ method, path, query, headers, body }: Exchange): GitHubAnswer {
    if (!headers['user-agent'])
      return failed(403, 'Request forbidden by administrative rules. Send a User-Agent header.')
    const authenticated = authenticate(headers['authorization'], all)
    if ('problem' in authenticated) return authenticated.problem
    const token = authenticated.value
    const sent = body.length === 0 ? {} : parseObject(body.toString())
    const segments = segmentsOf(path)
    if (sent === null || segments === null) {
      // documented: A request whose body is not JSON gets 400 "Problems parsing JSON". [GitHub REST, errors]
      return failed(400, 'Problems parsing JSON')
    }
    const call = { token, method, segments, query: new URLSearchParams(query), sent, now: now() }
    return gitHubAnswer(repository, call)
  }

  return {
    name: 'github',
    claim: head => instanceByHost(hosts, head),
    answer: exchange => toHttp(answerTo(exchange)),
    errorAnswer: (_, [error], status = 400) =>
      toHttp(failed(status, error?.message ?? 'A fault requested this error.')),
    state: gitHubState(repository, tokens, now),
  }
}

/**
 * Starts the part of GitHub's API that Homeport calls, with one repository.
 */
export async function startGitHub(context: ServerContext): Promise<GitHubDescription> {
  await sodium.ready
  const tokens: GitHubTokens = {
    token: {
      value: `github_pat_${context.ids().id()}`,
      holder: 'personal access token',
      access: accessToAll('write'),
    },
    workflowToken: {
      // observed: Since April 2026, tokens of installations have about 520 characters. [GitHub changelog]
      value: `ghs_${context.ids('github').text(516)}`,
      holder: 'integration',
      access: { ...accessToAll('none'), actions: 'read', issues: 'write' },
    },
  }
  const now = () => formatSecond(context.clock.now())
  const repository = new Repository()
  const service = gitHubService(repository, tokens, now)
  const { url } = await serve(context, { target: () => ({ service, instance: 0 }) })
  context.register(service)
  const { token, workflowToken } = tokens
  return {
    github: {
      baseUrl: `${url}/`,
      owner: repository.owner,
      repository: repository.name,
      token: token.value,
      workflowToken: workflowToken.value,
    },
  }
}
