import { fieldOf, listOf } from '../json.ts'
import { dnsWrite } from '../resources/token-policy.ts'
import { types } from '../stack-facts.ts'
import type { ResourceRule, StackRule } from './rule.ts'

const tokens: readonly string[] = [types.accountToken, types.userToken]

export const tokenLeastPrivilege: ResourceRule = {
  name: 'token-least-privilege',
  description: 'A token can write the DNS of one zone and nothing else.',
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
      problems.push(`has other permissions than ${dnsWrite.name} (${dnsWrite.id}). Grant only this one.`)
    }
    if (zoneOf(fieldOf(policy, 'resources')) === null)
      problems.push('is not limited to one zone. Declare one zone by its id, as JSON text.')
    return problems
  },
}

/** Returns the zone that a policy covers, or null if it is not exactly one. */
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
  description: "A token's zone is the zone of its record.",
  check(resources) {
    const zones = resources.filter(({ type }) => type === types.record).map(({ props }) => props['zoneId'])
    return resources
      .filter(({ type }) => tokens.includes(type))
      .flatMap(resource => {
        const [policy] = listOf(resource.props['policies'])
        const zone = zoneOf(fieldOf(policy, 'resources'))
        // token-least-privilege reports a policy without exactly one zone. A refreshed run also shows what it is about to
        // delete (seen with 3.259.0): the token of a stack whose records were given up.
        return zone === null || zones.length === 0 || zones.includes(zone)
          ? []
          : [
              {
                resource,
                message: `may write the zone ${zone}, which has no record of this stack. Declare the record's zone.`,
              },
            ]
      })
  },
}

/** Rotation creates the new credential, updates its users, and deletes the old one last. */
export const rotatesWithoutGap: ResourceRule = {
  name: 'rotates-without-gap',
  description: 'A new token or client secret exists before the old one is deleted.',
  types: [...tokens, types.password],
  check: ({ options }) =>
    options.deleteBeforeReplace
      ? ['would be deleted before its replacement exists. Remove deleteBeforeReplace.']
      : [],
}

export const mintingProviderIsolated: StackRule = {
  name: 'minting-provider-isolated',
  description: 'The provider that may create tokens does nothing else.',
  check(resources) {
    const minted = resources.filter(({ type }) => tokens.includes(type))
    const mints = new Set(minted.map(({ provider }) => provider))
    return [
      ...minted
        .filter(({ provider }) => provider === null)
        .map(resource => ({
          resource,
          message: 'uses the default provider, whose token deploys. Use a separate provider.',
        })),
      ...resources
        .filter(({ type, provider }) => provider !== null && mints.has(provider) && !tokens.includes(type))
        .map(resource => ({
          resource,
          message: `uses the provider ${resource.provider}, which may create tokens. Use the default provider.`,
        })),
    ]
  },
}
