import { failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import { apiUrlOf, nodeId, userView, webUrlOf } from './fields.ts'
import { type Place, type Protection, type Repository, unprotected } from './repository.ts'
import { refuseAccess } from './tokens.ts'

/** Returns an environment in the format of the API. The ids of its rules are placeholders. */
function environmentView(repository: Repository, name: string, place: Place) {
  const { keyId, createdAt, updatedAt } = place
  const { reviewers, branches } = place.protection
  const required = {
    id: 1,
    node_id: nodeId('GA', 1),
    type: 'required_reviewers',
    prevent_self_review: false,
    reviewers: reviewers.map(({ type, id }) => ({ type, reviewer: userView(id, `${type}-${id}`, type) })),
  }
  const custom = Array.isArray(branches)
  return {
    id: Number(keyId),
    node_id: nodeId('EN', keyId),
    name,
    url: `${apiUrlOf(repository)}/environments/${encodeURIComponent(name)}`,
    html_url: `${webUrlOf(repository)}/deployments/activity_log?environments_filter=${encodeURIComponent(name)}`,
    created_at: createdAt,
    updated_at: updatedAt,
    can_admins_bypass: true,
    protection_rules: [
      ...(reviewers.length === 0 ? [] : [required]),
      ...(branches === null ? [] : [{ id: 2, node_id: nodeId('GA', 2), type: 'branch_policy' }]),
    ],
    deployment_branch_policy:
      branches === null ? null : { protected_branches: !custom, custom_branch_policies: custom },
  }
}

function isReviewer(value: unknown): value is Protection['reviewers'][number] {
  const { type, id } = Object(value)
  return (type === 'User' || type === 'Team') && Number.isInteger(id)
}

/** Reads the protection in a body, and keeps the names of branches and tags. Returns null if it is invalid. */
function readProtection(sent: GitHubCall['sent'], current: Protection): Protection | null {
  const { reviewers, deployment_branch_policy: policy } = sent
  const listed = reviewers ?? []
  if (!Array.isArray(listed) || !listed.every(isReviewer)) return null
  const plain = listed.map(({ type, id }) => ({ type, id }))
  if (policy === undefined || policy === null) return { reviewers: plain, branches: null }
  const { protected_branches: isProtected, custom_branch_policies: isCustom } = Object(policy)
  if (typeof isProtected !== 'boolean' || isCustom !== !isProtected) return null
  const named = Array.isArray(current.branches) ? current.branches : []
  if (!isCustom) return { reviewers: plain, branches: 'protected' }
  return { ...current, reviewers: plain, branches: named }
}

/** Answers requests for …/environments/NAME. */
export function environmentAnswer(repository: Repository, call: GitHubCall, name: string): GitHubAnswer {
  const { token, method, sent } = call
  const refusal = method === 'GET' ? null : refuseAccess(token, 'administration', method)
  if (refusal) return refusal
  if (method === 'PUT') {
    const before = repository.environments.get(name)?.protection
    const protection = readProtection(sent, before ?? unprotected)
    if (protection === null) {
      const message = 'Validation Failed: reviewers or deployment_branch_policy is invalid.'
      // documented: An environment can have reviewers and a branch policy, which allows protected branches, or branches and tags
      // by name. PUT replaces both. Assumed: the names are kept. A request with an invalid value gets 422. [GitHub REST,
      // deployment environments]
      return failed(422, message)
    }
    repository.ensure(name, call.now).protect(protection, call.now)
  }
  const place = repository.environments.get(name)
  // documented: A request for secrets or variables of an environment that does not exist gets 404. [GitHub REST, Actions secrets
  // and deployment environments]
  if (place === undefined) return notFound()
  if (method === 'DELETE') {
    repository.environments.delete(name)
    // documented: PUT creates or updates an environment and returns 200. DELETE returns 204. [GitHub REST, Actions secrets and
    // deployment environments]
    return noContent()
  }
  return ok(environmentView(repository, name, place))
}

const policyView = (name: string, type: 'branch' | 'tag', at: number) => ({
  id: at + 1,
  node_id: nodeId('DBP', `${type} ${name}`),
  name,
  type,
})

/** Answers requests for …/environments/NAME/deployment-branch-policies. */
export function branchPoliciesAnswer(repository: Repository, call: GitHubCall, name: string): GitHubAnswer {
  const { token, method, sent } = call
  const refusal = method === 'GET' ? null : refuseAccess(token, 'administration', method)
  if (refusal) return refusal
  const place = repository.environments.get(name)
  if (place === undefined) return notFound()
  const { branches, tags = [] } = place.protection
  if (!Array.isArray(branches)) return notFound()
  if (method === 'GET') {
    const policies = [
      ...branches.map((branch, at) => policyView(branch, 'branch', at)),
      ...tags.map((tag, at) => policyView(tag, 'tag', branches.length + at)),
    ]
    return ok({ total_count: policies.length, branch_policies: policies })
  }
  const { name: added, type = 'branch' } = sent
  if (
    method !== 'POST' ||
    typeof added !== 'string' ||
    added === '' ||
    (type !== 'branch' && type !== 'tag')
  ) {
    return failed(422, 'Validation Failed: name or type is invalid.')
  }
  if ((type === 'tag' ? tags : branches).includes(added))
    return failed(303, 'The branch policy already exists.')
  const more = type === 'tag' ? { tags: [...tags, added] } : { branches: [...branches, added] }
  place.protect({ ...place.protection, ...more }, call.now)
  return ok(policyView(added, type, branches.length + tags.length))
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
