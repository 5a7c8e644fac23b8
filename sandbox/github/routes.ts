import { type GitHubAnswer, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
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

/** Answers requests for …/environments/NAME. Its reviewers and branches are not kept: nothing of Homeport reads them. */
function environmentAnswer(
  repository: Repository,
  { token, method }: GitHubCall,
  name: string,
): GitHubAnswer {
  if (method !== 'PUT') return notFound()
  const refusal = refuseAccess(token, 'administration', method)
  if (refusal) return refusal
  // documented: PUT creates or updates an environment and returns 200. [GitHub REST, Actions secrets and deployment environments]
  return ok({ id: Number(repository.ensure(name).keyId), name })
}

/** Answers requests for …/actions/oidc/customization/sub: the subject in OIDC tokens of the repository's runs. */
const subjectAnswer = ({ id, ownerId, owner, name }: Repository): GitHubAnswer =>
  // documented: The subject of an OIDC token starts with `sub_claim_prefix`: owner and repository, each with its id, as in every
  // repository since 15 July 2026. Assumed: a token needs no permission to read it. [GitHub Actions, OpenID Connect reference,
  // immutable subject claims]
  ok({
    use_default: true,
    use_immutable_subject: true,
    sub_claim_prefix: `repo:${owner}@${ownerId}/${name}@${id}`,
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
