import { recordTtl } from '../record.ts'
import { type ResourceRule, types } from './rule.ts'

/** Fields that the owner of the content writes. Any other field would come and go. */
const shared = ['zoneId', 'name', 'type', 'content', 'ttl', 'proxied']

export const recordShape: ResourceRule = {
  name: 'record-shape',
  description: `The dynamic record is an unproxied A record with ttl ${recordTtl} and five fields.`,
  types: [types.record],
  check({ props }) {
    const problems: string[] = []
    if (props['type'] !== 'A') problems.push(`has the type ${String(props['type'])}. Declare type: "A".`)
    if (props['ttl'] !== recordTtl)
      problems.push(`has the ttl ${String(props['ttl'])}. Declare ttl: ${recordTtl}.`)
    if (props['proxied'] !== false)
      problems.push('may be proxied, which hides the address. Declare proxied: false.')
    const more = Object.keys(props).filter(
      key => props[key] != null && !shared.includes(key) && !key.startsWith('__'),
    )
    if (more.length > 0)
      problems.push(`declares ${more.join(', ')}, which an update of the address may reset. Remove it.`)
    return problems
  },
}

export const recordOwnership: ResourceRule = {
  name: 'record-ownership',
  description: 'The holder of the token owns the content of the dynamic record, and nothing else.',
  types: [types.record],
  check({ options }) {
    const problems: string[] = []
    if (!options.ignoreChanges.includes('content'))
      problems.push('would have its address reverted. Add ignoreChanges: ["content"].')
    const owned = options.ignoreChanges.filter(field => field !== 'content')
    if (owned.length > 0)
      problems.push(
        `ignores changes of ${owned.join(', ')}, which nobody else owns. Use ignoreChanges: ["content"] only.`,
      )
    if (!options.protect) problems.push('is not protected, so a mistake could delete it. Add protect: true.')
    return problems
  },
}
