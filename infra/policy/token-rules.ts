import { dnsWrite } from '../token-policy.ts'
import { fieldOf, listOf, type ResourceRule, type StackRule, types } from './rule.ts'

const tokens: readonly string[] = [types.accountToken, types.userToken]

export const tokenLeastPrivilege: ResourceRule = {
  name: 'token-least-privilege',
  description: 'A token may write DNS in one zone and do nothing else.',
  types: tokens,
  check({ props }) {
    const policies = listOf(props['policies'])
    const [policy] = policies
    if (policies.length !== 1) return [`has ${policies.length} policies. Declare one.`]
    const problems: string[] = []
    const effect = fieldOf(policy, 'effect')
    if (effect !== 'allow') problems.push(`has a policy with the effect ${String(effect)}. Declare allow.`)
    const groups = listOf(fieldOf(policy, 'permissionGroups')).map(group => fieldOf(group, 'id'))
    if (groups.length !== 1 || groups[0] !== dnsWrite.id) {
      problems.push(`has other permissions than ${dnsWrite.name} (${dnsWrite.id}). Grant this one alone.`)
    }
    if (zoneOf(fieldOf(policy, 'resources')) === null)
      problems.push('reaches further than one zone. Name one zone by its id, as JSON text.')
    return problems
  },
}

/** The zone that a policy's resources are, or null when they are not exactly one. */
function zoneOf(resources: unknown): string | null {
  if (typeof resources !== 'string') return null
  try {
    const entries = Object.entries(JSON.parse(resources))
    const [[name = '', reach] = []] = entries
    const zone = name.startsWith(`${dnsWrite.scope}.`) ? name.slice(dnsWrite.scope.length + 1) : ''
    return entries.length === 1 && reach === '*' && /^[0-9a-f]{32}$/.test(zone) ? zone : null
  } catch {
    return null
  }
}

export const tokenZone: StackRule = {
  name: 'token-zone',
  description: "A token's zone is that of the record it is for.",
  check(resources) {
    const zones = resources.filter(({ type }) => type === types.record).map(({ props }) => props['zoneId'])
    return resources
      .filter(({ type }) => tokens.includes(type))
      .flatMap(resource => {
        const [policy] = listOf(resource.props['policies'])
        const zone = zoneOf(fieldOf(policy, 'resources'))
        // What is not one zone is token-least-privilege's to tell.
        return zone === null || zones.includes(zone)
          ? []
          : [
              {
                resource,
                message: `may write the zone ${zone}, in which no record is. Name the record's zone.`,
              },
            ]
      })
  },
}

/** Rotation makes the new one before the old one goes; consumers are changed in between. */
export const rotatesWithoutGap: ResourceRule = {
  name: 'rotates-without-gap',
  description: 'Tokens and client secrets are made anew before the old one goes.',
  types: [...tokens, types.password],
  check: ({ options }) =>
    options.deleteBeforeReplace
      ? ['would be deleted before its successor exists. Remove deleteBeforeReplace.']
      : [],
}

export const mintingProviderIsolated: StackRule = {
  name: 'minting-provider-isolated',
  description: 'Who may mint tokens does nothing else.',
  check(resources) {
    const minted = resources.filter(({ type }) => tokens.includes(type))
    const mints = new Set(minted.map(({ provider }) => provider))
    return [
      ...minted
        .filter(({ provider }) => provider === null)
        .map(resource => ({
          resource,
          message: 'is made by the default provider, whose token deploys. Give it a provider of its own.',
        })),
      ...resources
        .filter(({ type, provider }) => provider !== null && mints.has(provider) && !tokens.includes(type))
        .map(resource => ({
          resource,
          message: `is made by ${resource.provider}, which may mint tokens. Use the default provider.`,
        })),
    ]
  },
}
