import { failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import type { Repository } from './repository.ts'
import { refuseAccess } from './tokens.ts'

/** The switches by their path below the repository. GET and PUT of each are in GitHub REST, repositories. */
const switches = {
  // documented: PUT switches immutable releases on and DELETE off, with 204. GET returns whether they are on, or 404 if not. The
  // permission is called administration. [GitHub REST, repositories]
  'immutable-releases': { key: 'immutableReleases' },
  'private-vulnerability-reporting': {
    key: 'privateVulnerabilityReporting',
    // documented: PUT switches private reports on and DELETE off, with 204. GET returns whether they are on. Assumed: the
    // permission is called administration. [GitHub REST, repositories]
  },
} as const

const isSwitch = (area: string): area is keyof typeof switches => Object.hasOwn(switches, area)

function switchAnswer(repository: Repository, call: GitHubCall, area: keyof typeof switches): GitHubAnswer {
  const { key } = switches[area]
  const refusal = refuseAccess(call.token, 'administration', call.method)
  if (refusal) return refusal
  if (call.method === 'PUT' || call.method === 'DELETE') {
    repository[key] = call.method === 'PUT'
    return noContent()
  }
  if (call.method !== 'GET') return notFound()
  const enabled = repository[key]
  if (area === 'private-vulnerability-reporting') return ok({ enabled })
  return enabled ? ok({ enabled, enforced_by_owner: false }) : notFound()
}

function rulesetsAnswer(
  { owner, name, rulesets }: Repository,
  { method }: GitHubCall,
  id: string | undefined,
): GitHubAnswer {
  if (method !== 'GET') return notFound()
  const views = rulesets.map((ruleset, at) => ({
    id: at + 1,
    name: `ruleset ${at + 1}`,
    target: ruleset.target,
    source_type: 'Repository',
    source: `${owner}/${name}`,
    enforcement: ruleset.enforcement,
  }))
  if (id === undefined) return ok(views)
  const ruleset = rulesets[Number(id) - 1]
  return ruleset === undefined
    ? notFound()
    : ok({
        ...views[Number(id) - 1],
        conditions: { ref_name: { include: ruleset.include, exclude: [] } },
        rules: ruleset.rules.map(type => ({ type })),
      })
}

/** Answers requests for the settings of the repository itself; null if the path is none of them. */
export function settingsAnswer(
  repository: Repository,
  call: GitHubCall,
  [area = '', id, ...more]: readonly string[],
): GitHubAnswer | null {
  if (more.length > 0) return null
  if (area === 'rulesets') return rulesetsAnswer(repository, call, id)
  return isSwitch(area) && id === undefined ? switchAnswer(repository, call, area) : null
}

/** Answers requests for /orgs/OWNER/packages/container/NAME; null if the path is another one. */
export function packageAnswer(
  { owner, packages }: Repository,
  { token, method, segments }: GitHubCall,
): GitHubAnswer | null {
  const [kind, organization, area, type, name, ...more] = segments
  if (kind !== 'orgs' || organization !== owner || area !== 'packages' || type !== 'container') return null
  if (method !== 'GET' || name === undefined || more.length > 0) return null
  if (token.access.packages === 'none')
    return failed(403, 'You need at least read:packages scope to get a package.')
  const visibility = Object.hasOwn(packages, name) ? packages[name] : undefined
  return visibility === undefined
    ? notFound()
    : ok({ name, package_type: 'container', visibility, owner: { login: owner } })
}
