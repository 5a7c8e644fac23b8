import { failed, type GitHubAnswer, noContent, notFound, ok } from './answer.ts'
import type { GitHubCall } from './call.ts'
import type { Repository } from './repository.ts'
import { refuseAccess } from './tokens.ts'

/** The switches by their path below the repository. GET and PUT of each are in GitHub REST, repositories. */
const switches = {
  'immutable-releases': { key: 'immutableReleases', cites: 'github.immutable-releases' },
  'private-vulnerability-reporting': {
    key: 'privateVulnerabilityReporting',
    cites: 'github.private-vulnerability-reporting',
  },
} as const

const isSwitch = (area: string): area is keyof typeof switches => Object.hasOwn(switches, area)

function switchAnswer(repository: Repository, call: GitHubCall, area: keyof typeof switches): GitHubAnswer {
  const { key, cites } = switches[area]
  const refusal = refuseAccess(call.token, 'administration', call.method)
  if (refusal) return refusal
  if (call.method === 'PUT' || call.method === 'DELETE') {
    repository[key] = call.method === 'PUT'
    return noContent(cites)
  }
  if (call.method !== 'GET') return notFound()
  const enabled = repository[key]
  if (area === 'private-vulnerability-reporting') return ok(cites, { enabled })
  return enabled ? ok(cites, { enabled, enforced_by_owner: false }) : notFound(cites)
}

function rulesetsAnswer(
  { owner, name, rulesets }: Repository,
  { method }: GitHubCall,
  id: string | undefined,
): GitHubAnswer {
  if (method !== 'GET') return notFound()
  const cites = 'github.ruleset'
  const views = rulesets.map((ruleset, at) => ({
    id: at + 1,
    name: `ruleset ${at + 1}`,
    target: ruleset.target,
    source_type: 'Repository',
    source: `${owner}/${name}`,
    enforcement: ruleset.enforcement,
  }))
  if (id === undefined) return ok(cites, views)
  const ruleset = rulesets[Number(id) - 1]
  return ruleset === undefined
    ? notFound(cites)
    : ok(cites, {
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
  const cites = 'github.package'
  if (token.access.packages === 'none')
    return failed(cites, 403, 'You need at least read:packages scope to get a package.')
  const visibility = Object.hasOwn(packages, name) ? packages[name] : undefined
  return visibility === undefined
    ? notFound(cites)
    : ok(cites, { name, package_type: 'container', visibility, owner: { login: owner } })
}
