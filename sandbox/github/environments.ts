import { failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import { type Place, type Protection, type Repository, unprotected } from './repository.ts'
import { refuseAccess } from './tokens.ts'

/** Returns an environment in the form of the API. The ids of its rules only tell them apart. */
function environmentView(name: string, { protection: { reviewers, branches } }: Place) {
  const required = {
    id: 1,
    type: 'required_reviewers',
    prevent_self_review: false,
    reviewers: reviewers.map(({ type, id }) => ({ type, reviewer: { id, login: `${type}-${id}` } })),
  }
  const custom = Array.isArray(branches)
  return {
    name,
    can_admins_bypass: true,
    protection_rules: [
      ...(reviewers.length === 0 ? [] : [required]),
      ...(branches === null ? [] : [{ id: 2, type: 'branch_policy' }]),
    ],
    deployment_branch_policy:
      branches === null ? null : { protected_branches: !custom, custom_branch_policies: custom },
  }
}

const isReviewer = (value: unknown): value is Protection['reviewers'][number] => {
  const { type, id } = Object(value)
  return (type === 'User' || type === 'Team') && Number.isInteger(id)
}

/** Reads the protection in a body. Returns undefined if it is not valid. Names of branches stay. */
function readProtection(sent: GitHubCall['sent'], before: Protection): Protection | undefined {
  const { reviewers, deployment_branch_policy: policy } = sent
  const listed = reviewers ?? []
  if (!Array.isArray(listed) || !listed.every(isReviewer)) return undefined
  const plain = listed.map(({ type, id }) => ({ type, id }))
  if (policy === undefined || policy === null) return { reviewers: plain, branches: null }
  const { protected_branches: isProtected, custom_branch_policies: isCustom } = Object(policy)
  if (typeof isProtected !== 'boolean' || isCustom !== !isProtected) return undefined
  const named = Array.isArray(before.branches) ? before.branches : []
  return { reviewers: plain, branches: isCustom ? named : 'protected' }
}

/** Answers …/environments/NAME. */
export function environmentAnswer(repository: Repository, call: GitHubCall, name: string): GitHubAnswer {
  const { token, method, sent } = call
  const refusal = method === 'GET' ? undefined : refuseAccess(token, 'administration', method)
  if (refusal) return refusal
  if (method === 'PUT') {
    const before = repository.environments.get(name)?.protection
    const protection = readProtection(sent, before ?? unprotected)
    if (protection === undefined) {
      const message = 'Validation Failed: reviewers or deployment_branch_policy is not valid.'
      return failed('github.environment.protection', 422, message)
    }
    repository.ensure(name).protection = protection
  }
  const place = repository.environments.get(name)
  if (place === undefined) return notFound('github.environment.missing')
  if (method === 'DELETE') {
    repository.environments.delete(name)
    return noContent('github.environment')
  }
  const isPlain = place.protection.reviewers.length === 0 && place.protection.branches === null
  return ok(isPlain ? 'github.environment' : 'github.environment.protection', environmentView(name, place))
}

const policyView = (name: string, at: number) => ({ id: at + 1, name, type: 'branch' })

/** Answers …/environments/NAME/deployment-branch-policies. */
export function branchPoliciesAnswer(repository: Repository, call: GitHubCall, name: string): GitHubAnswer {
  const { token, method, sent } = call
  const refusal = method === 'GET' ? undefined : refuseAccess(token, 'administration', method)
  if (refusal) return refusal
  const cites = 'github.environment.branches'
  const place = repository.environments.get(name)
  if (place === undefined) return notFound('github.environment.missing')
  const { branches } = place.protection
  if (!Array.isArray(branches)) return notFound(cites)
  if (method === 'GET') {
    return ok(cites, { total_count: branches.length, branch_policies: branches.map(policyView) })
  }
  const branch = sent['name']
  if (method !== 'POST' || typeof branch !== 'string' || branch === '') {
    return failed(cites, 422, 'Validation Failed: name is required.')
  }
  if (branches.includes(branch)) return failed(cites, 303, 'The branch policy already exists.')
  place.protection = { ...place.protection, branches: [...branches, branch] }
  return ok(cites, policyView(branch, branches.length))
}

/** Answers …/actions/oidc/customization/sub: how tokens for runs of the repository name it. */
export const subjectAnswer = ({ id, ownerId, owner, name }: Repository): GitHubAnswer =>
  ok('github.subject', {
    use_default: true,
    use_immutable_subject: true,
    sub_claim_prefix: `repo:${owner}@${ownerId}/${name}@${id}`,
  })
