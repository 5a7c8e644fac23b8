import { resolve } from 'node:path'
import { judge } from '../infra/policy/rules.ts'
import type { GraphResource } from '../sandbox/pulumi/engine/graph.ts'
import type { Json } from '../sandbox/pulumi/properties.ts'
import { bold, sign } from '../test/journeys/story.ts'
import { declareAll, declaredIn } from '../test/support/declared.ts'
import { dim, type Values, write } from './show.ts'

export const help = `Shows what the Pulumi program declares, and checks the policies. Uses no service.

  npm run demo -- infra [--tree FOLDER]

  --tree FOLDER  show what the program of another tree declares, such as that of a pull request. Nothing else of it runs
  --help         show this help

To see it created, changed and destroyed, run npm run demo -- journey. Exit status: 0 if the policies hold.
`

export const options = { tree: { type: 'string' } } as const

/** Runs the demo. Resolves to the exit status. */
export async function run({ tree }: Values): Promise<number> {
  const stacks = await declareAll(typeof tree === 'string' ? resolve(tree) : undefined)
  write(bold('\nWhat the program declares'))
  const failed = stacks.find(({ run }) => !run.succeeded)
  if (failed) {
    check('program', false, 'failed')
    for (const { message } of failed.run.log) write(message)
    return 1
  }
  const shown = stacks[0]?.run.graph.resources.filter(({ custom }) => custom) ?? []
  for (const resource of shown) write(describe(resource))
  write(bold('\nThe policies'))
  const found = stacks.flatMap(({ run, stack }) => judge(declaredIn(run.graph), stack))
  const problems = new Map(found.map(one => [`${one.resource.name} ${one.message}`, one.rule]))
  for (const [problem, rule] of problems) check(rule, false, problem)
  if (found.length > 0) return 1
  check(
    'policies',
    true,
    `hold for this stack, for one on a host, and for one with a push endpoint and a clock`,
  )
  return 0
}

function check(who: string, good: boolean, detail: string): void {
  write(`   ${sign(good)} ${who.padEnd(16)}${detail}`)
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
