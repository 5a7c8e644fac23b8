import { judge, resourceRules, stackRules } from '../infra/policy/rules.ts'
import type { GraphResource } from '../sandbox/pulumi/engine/graph.ts'
import type { Json } from '../sandbox/pulumi/properties.ts'
import { declare, declaredIn } from '../test/support/declared.ts'
import { bold, dim, sign, write } from './show.ts'

export const help = `Shows what the Pulumi program declares, and checks the policies. Uses no service.

  npm run demo -- infra

  --help      show this help

To see it created, changed and destroyed, run npm run demo -- journey. Exit status: 0 if the policies hold.
`

/** Runs the demo. Resolves to the exit status. */
export async function run(): Promise<number> {
  const { graph, log, succeeded } = await declare()
  write(bold('\nWhat the program declares'))
  if (!succeeded) {
    check('program', false, 'failed')
    for (const { message } of log) write(message)
    return 1
  }
  for (const resource of graph.resources.filter(({ custom }) => custom)) write(describe(resource))
  write(bold('\nThe policies'))
  const findings = judge(declaredIn(graph))
  for (const { rule, resource, message } of findings) check(rule, false, `${resource} ${message}`)
  if (findings.length > 0) return 1
  check('policies', true, `${resourceRules.length + stackRules.length} rules hold`)
  return 0
}

function check(who: string, good: boolean, detail: string): void {
  write(`   ${sign(good)} ${who.padEnd(13)}${detail}`)
}

const shownInputs = 'name displayName hostname scriptName secretName variableName endDate ttl'.split(' ')

/** Describes a resource in one line: type, name, main inputs and options. */
function describe({ type, name, inputs, options, provider }: GraphResource): string {
  const [last = type, ...rest] = type.split(':').toReversed()
  const kind = rest[0] === 'providers' ? `provider ${last}` : last
  const facts = shownInputs.flatMap(key =>
    inputs[key] === undefined ? [] : [`${key} ${plain(inputs[key])}`],
  )
  const kept = [
    ...(options.protect ? ['protected'] : []),
    ...(options.ignoreChanges ? [`other owners: ${options.ignoreChanges.join(' ')}`] : []),
    ...(options.deleteBeforeReplace ? ['deleted before replacement'] : []),
    ...(provider === '' ? [] : [`provider ${provider.split('::').at(-1)}`]),
  ]
  return `   ${kind.padEnd(28)}${name.padEnd(30)}${dim([...facts, ...kept].join(', '))}`
}

const plain = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value))
