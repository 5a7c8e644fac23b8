import { type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import { type PlaceCall, secretsAnswer, variablesAnswer } from './places.ts'
import type { Repository } from './repository.ts'

/** An authenticated request. */
export interface GitHubCall {
  readonly method: string
  /** Decoded path segments after the root of the API. */
  readonly segments: readonly string[]
  readonly sent: PlaceCall['sent']
  /** RFC 3339 */
  readonly now: string
}

const repositoryView = ({ id, owner, name }: Repository) => ({
  id,
  name,
  full_name: `${owner}/${name}`,
  private: true,
  owner: { login: owner, type: 'Organization' },
  default_branch: 'main',
})

function environmentAnswer(repository: Repository, { method }: GitHubCall, name: string): GitHubAnswer {
  if (method === 'PUT') repository.ensure(name)
  if (!repository.environments.has(name)) return notFound
  if (method === 'DELETE') {
    repository.environments.delete(name)
    return noContent
  }
  return ok({ name, protection_rules: [], deployment_branch_policy: null, can_admins_bypass: true })
}

/** Finds the repository of a path, by owner and name or by number, which the Pulumi provider uses. */
function find(repositories: readonly Repository[], segments: readonly string[]) {
  const [kind, first, second, ...rest] = segments
  if (kind === 'repos') {
    const found = repositories.find(({ owner, name }) => owner === first && name === second)
    return { found, rest }
  }
  const byNumber = kind === 'repositories' ? repositories.find(({ id }) => String(id) === first) : undefined
  return { found: byNumber, rest: second === undefined ? rest : [second, ...rest] }
}

/** Answers a request for a repository, its environments, and their secrets and variables. */
export function gitHubAnswer(repositories: readonly Repository[], call: GitHubCall): GitHubAnswer {
  const { found: repository, rest } = find(repositories, call.segments)
  if (repository === undefined) return notFound
  if (rest.length === 0) return call.method === 'GET' ? ok(repositoryView(repository)) : notFound
  const [area, ...below] = rest
  const environment = area === 'environments' ? below.shift() : undefined
  if (environment !== undefined && below.length === 0) return environmentAnswer(repository, call, environment)
  const place = area === 'actions' ? repository.actions : repository.environments.get(environment ?? '')
  const [kind, name, more] = below
  if (place === undefined || more !== undefined) return notFound
  const { method, sent, now } = call
  if (kind === 'secrets') return secretsAnswer({ place, method, name, sent, now })
  return kind === 'variables' ? variablesAnswer({ place, method, name, sent, now }) : notFound
}
