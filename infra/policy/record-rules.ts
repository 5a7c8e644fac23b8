import { recordTtl } from '../record.ts'
import { type ResourceRule, types } from './rule.ts'

/** Fields that whoever owns the content writes; anything beside them would come and go. */
const shared = ['zoneId', 'name', 'type', 'content', 'ttl', 'proxied']

export const recordShape: ResourceRule = {
  name: 'record-shape',
  description: `The dynamic record is an A record, ttl ${recordTtl}, unproxied, and has five fields.`,
  types: [types.record],
  check({ props }) {
    const problems: string[] = []
    if (props['type'] !== 'A') problems.push(`has the type ${String(props['type'])}. Declare type: "A".`)
    if (props['ttl'] !== recordTtl)
      problems.push(`has the ttl ${String(props['ttl'])}. Declare ttl: ${recordTtl}.`)
    if (props['proxied'] !== false)
      problems.push('may be proxied, which would hide the address. Declare proxied: false.')
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
  description: 'The content of the dynamic record belongs to whoever holds the token, and nothing else does.',
  types: [types.record],
  check({ options }) {
    const problems: string[] = []
    if (!options.ignoreChanges.includes('content'))
      problems.push('would have its address put back. Give it ignoreChanges: ["content"].')
    const owned = options.ignoreChanges.filter(field => field !== 'content')
    if (owned.length > 0)
      problems.push(
        `ignores ${owned.join(', ')}, which nobody else looks after. Give it ignoreChanges: ["content"] alone.`,
      )
    if (!options.protect)
      problems.push('is not protected, so that a slip would delete it. Give it protect: true.')
    return problems
  },
}
