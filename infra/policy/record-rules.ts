import { recordTypes } from '../settings/readers.ts'
import { ownedByOthers, recordTtl, types } from '../stack-facts.ts'
import { otherInputs } from './declared-rules.ts'
import type { ResourceRule } from './rule.ts'

/** Fields that the program declares, and those of other owners: an import takes them into the inputs (real provider). */
const expected = ['zoneId', 'name', 'type', 'ttl', 'proxied', ...ownedByOthers]

const addressTypes: readonly string[] = recordTypes

export const recordShape: ResourceRule = {
  name: 'record-shape',
  description: `The dynamic record is an unproxied A or AAAA record with ttl ${recordTtl}, and the program declares no other field.`,
  types: [types.record],
  check({ props }) {
    const problems: string[] = []
    if (!addressTypes.includes(String(props['type'])))
      problems.push(`has the type ${String(props['type'])}. Declare A or AAAA.`)
    if (props['ttl'] !== recordTtl)
      problems.push(`has the ttl ${String(props['ttl'])}. Declare ttl: ${recordTtl}.`)
    if (props['proxied'] !== false)
      problems.push('may be proxied, which hides the address. Declare proxied: false.')
    const more = otherInputs(props, expected)
    if (more.length > 0)
      problems.push(`declares ${more.join(', ')}, which this program does not own. Remove it.`)
    return problems
  },
}

const ignored: readonly string[] = ownedByOthers
const option = `ignoreChanges: ${JSON.stringify(ignored).replaceAll(',', ', ')}`

export const recordOwnership: ResourceRule = {
  name: 'record-ownership',
  description:
    'The holder of the token owns the content of the dynamic record, and people its comment and tags. Nothing else has another owner.',
  types: [types.record],
  check({ options }) {
    const problems: string[] = []
    const reverted = ignored.filter(field => !options.ignoreChanges.includes(field))
    if (reverted.length > 0)
      problems.push(`would have its ${reverted.join(', ')} reverted or erased. Declare ${option}.`)
    const owned = options.ignoreChanges.filter(field => !ignored.includes(field))
    if (owned.length > 0)
      problems.push(`ignores changes of ${owned.join(', ')}, which nobody else owns. Declare ${option} only.`)
    if (!options.protect) problems.push('is not protected, so a mistake could delete it. Add protect: true.')
    return problems
  },
}
