import { type GitHubAnswer, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import type { Repository } from './repository.ts'
import { refuseAccess } from './tokens.ts'

/** Answers requests for …/environments/NAME. Its reviewers and branches are not kept: nothing of Homeport reads them. */
export function environmentAnswer(
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
export const subjectAnswer = ({ id, ownerId, owner, name }: Repository): GitHubAnswer =>
  // documented: The subject of an OIDC token starts with `sub_claim_prefix`: owner and repository, each with its id, as in every
  // repository since 15 July 2026. Assumed: a token needs no permission to read it. [GitHub Actions, OpenID Connect reference,
  // immutable subject claims]
  ok({
    use_default: true,
    use_immutable_subject: true,
    sub_claim_prefix: `repo:${owner}@${ownerId}/${name}@${id}`,
  })
