import { type GitHubAnswer, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import { environmentAnswer, subjectAnswer } from './environments.ts'
import { issuesAnswer } from './issues.ts'
import { secretsAnswer, variablesAnswer } from './places.ts'
import type { Repository } from './repository.ts'
import { refuseAccess } from './tokens.ts'
import { workflowsAnswer } from './workflows.ts'

const repositoryView = ({ id, owner, name, isPrivate, branches }: Repository) => ({
  id,
  name,
  full_name: `${owner}/${name}`,
  private: isPrivate,
  owner: { login: owner, type: 'Organization' },
  default_branch: branches[0],
})

/** Returns the segments below the repository, or null if the path names another one. */
function find(
  { owner, name }: Repository,
  [kind, first, second, ...rest]: readonly string[],
): string[] | null {
  return kind === 'repos' && first === owner && second === name ? rest : null
}

/** Answers a request for the repository, its environments, secrets, variables and issues. */
export function gitHubAnswer(repository: Repository, call: GitHubCall): GitHubAnswer {
  const { token, method } = call
  const rest = find(repository, call.segments)
  if (rest === null) return notFound()
  const [area, ...below] = rest
  if (area === undefined) return method === 'GET' ? ok(repositoryView(repository)) : notFound()
  if (area === 'issues') {
    return refuseAccess(token, 'issues', method) ?? issuesAnswer(repository, call, below)
  }
  const environment = area === 'environments' ? below.shift() : undefined
  if (environment !== undefined && below.length === 0) return environmentAnswer(repository, call, environment)
  if (method === 'GET' && rest.join('/') === 'actions/oidc/customization/sub')
    return subjectAnswer(repository)
  if (area === 'actions' && below[0] === 'workflows')
    return refuseAccess(token, 'actions', method) ?? workflowsAnswer(repository, call, below.slice(1))
  const [kind, name, more] = below
  if ((kind !== 'secrets' && kind !== 'variables') || more !== undefined) return notFound()
  if (environment === undefined && area !== 'actions') return notFound()
  const refusal = refuseAccess(token, environment === undefined ? kind : 'environments', method)
  if (refusal) return refusal
  // The pages set variables of the repository.
  const place = environment === undefined ? repository.actions : repository.environments.get(environment)
  if (place === undefined) return notFound()
  const answer = kind === 'secrets' ? secretsAnswer : variablesAnswer
  return answer({ ...call, place, name })
}
