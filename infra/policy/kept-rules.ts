import { keptInputs, types } from '../stack-facts.ts'
import type { Declared, ResourceRule } from './rule.ts'

/** Reports inputs that should be ignored and are not, and the other way round. */
function checkIgnored(
  { options: { ignoreChanges } }: Declared,
  kept: readonly string[],
  consequence: string,
): readonly string[] {
  const option = `ignoreChanges: ${JSON.stringify(kept)}`
  const problems: string[] = []
  if (kept.some(field => !ignoreChanges.includes(field))) problems.push(`${consequence} Declare ${option}.`)
  const more = ignoreChanges.filter(field => !kept.includes(field))
  if (more.length > 0)
    problems.push(`ignores changes of ${more.join(', ')}, which nobody else owns. Declare ${option} only.`)
  return problems
}

export const databaseKept: ResourceRule = {
  name: 'database-kept',
  description: 'The employee database is protected, and a new name or jurisdiction does not replace it.',
  types: [types.database],
  check(resource) {
    const renamed = 'would be replaced by an empty database for another name or jurisdiction.'
    return [
      ...(resource.options.protect
        ? []
        : ['is not protected, so a mistake could delete it. Add protect: true.']),
      ...checkIgnored(resource, keptInputs.database, renamed),
    ]
  },
}

export const workerKept: ResourceRule = {
  name: 'worker-kept',
  description:
    'A new name of the stack does not replace the Worker, whose domain would be deleted meanwhile.',
  types: [types.script],
  check: resource =>
    checkIgnored(resource, keptInputs.script, 'would be deleted and replaced when the stack is renamed.'),
}
