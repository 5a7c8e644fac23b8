import { defaultProvider, type Expectation, type Expected, expectedOf } from './expected.ts'
import type { Declared, Stack, Violation } from './rule.ts'
import { compare, type Part, type Shape, Wanted } from './shape.ts'

/** Rules of single resources, which keep a run from writing one. */
export const resourceRules: Readonly<Record<Expectation['rule'], string>> = {
  'only-declared': 'The stack has the resources that its configuration calls for, and no others.',
  'least-privilege':
    'Records and tokens match the configuration: its zone, their protection and their expiry.',
  'secret-places': 'Secrets go only to the APIs and the environment that the configuration names.',
  registration: 'The registration, its owners and its credentials match the configuration.',
  'workers-exact':
    'Workers have the bindings, hosts, triggers and database that the configuration calls for.',
}

/** The rule of the whole stack, which the engine judges at the end of a preview and of a run. */
export const stackRule = {
  name: 'value-sources',
  description:
    'Secrets and IDs come from the resources that make them, and a handler on a host gets the settings of the configuration.',
} as const

/** Resources that deploy nothing themselves: the stack and its components. Another component could have each resource a second time. */
const structure =
  /^(pulumi:pulumi:Stack .*|homeport:infra:(DynamicDns dns|SignInApp sign-in|SignInHandler handler|PushEndpoint push|WorkflowClock clock|Repository repository))$/
export const isStructure = ({ type, name }: Declared): boolean => structure.test(`${type} ${name}`)
const fix =
  'Declare what the configuration calls for. If you mean the difference, change infra/policy/expected.ts, which somebody has to review.'

const expectationOf = ({ type, name }: Declared, { resources }: Expected): Expectation | undefined =>
  resources[`${type} ${name.replace(defaultProvider, 'default')}`] ?? resources[`${type} *`]

const problemsIn = (parts: Iterable<Part>): readonly string[] =>
  [...parts].flatMap(({ problem }) => (problem === null ? [] : [problem]))

/** Judges a resource before it is created or changed. */
export function judgeResource(resource: Declared, expected: Expected): readonly Violation[] {
  const { type, props, options } = resource
  if (isStructure(resource)) return []
  const wanted = expectationOf(resource, expected)
  if (!wanted) {
    const message = `(${type}) is not a resource that the configuration calls for. ${fix}`
    return [{ rule: 'only-declared', resource, message }]
  }
  const sorted = { ...options, ignoreChanges: options.ignoreChanges.toSorted() }
  return [
    ...problemsIn(compare(sorted, wanted.options, 'the options')),
    ...problemsIn(compare(props, wanted.props)),
  ].map(problem => ({ rule: wanted.rule, resource, message: `${problem} ${fix}` }))
}

/** Judges which resource each value comes from. What a run is about to delete is there, too, and is not judged. */
export function judgeStack(all: readonly Declared[], expected: Expected): readonly Violation[] {
  const resources = all.filter(one => expectationOf(one, expected))
  const outputOf = (name: string, output: string): unknown =>
    resources.find(one => one.name === name)?.props[output]
  /** Finds values that differ from the expected output, as far as both are known. */
  const misplacedIn = (parts: readonly Part[]): readonly string[] =>
    parts.flatMap(({ path, found, wanted }) => {
      if (!(wanted instanceof Wanted) || wanted.sources.length === 0 || typeof found !== 'string') return []
      const outputs = wanted.sources.map(name => outputOf(name, wanted.output))
      // A registration's ID is a path.
      const text = found.replace(/^\/applications\//, '')
      const isOther = outputs.every(one => typeof one === 'string') && outputs.join() !== text
      return isOther ? [`has ${path} that is not ${wanted.title}.`] : []
    })
  return all.flatMap(resource => {
    const shape = expectationOf(resource, expected)?.props
    const parts = shape ? [...compare(resource.props, shape)] : []
    const outputs = resource.type === 'pulumi:pulumi:Stack' ? [...outputPartsOf(resource, expected)] : []
    const problems = [
      ...(shape ? sourceProblems(resource, shape) : []),
      ...problemsIn(outputs),
      ...misplacedIn([...parts, ...outputs]),
    ]
    return problems.map(problem => ({ rule: stackRule.name, resource, message: `${problem} ${fix}` }))
  })
}

/** Compares the outputs of the stack, as far as they are known. */
function* outputPartsOf({ props }: Declared, { outputs }: Expected): Generator<Part> {
  for (const [name, wanted] of Object.entries(outputs)) {
    const text = props[name]
    if (typeof text !== 'string' || wanted === undefined) continue
    yield* compare(typeof wanted === 'object' ? JSON.parse(text) : text, wanted, `the output ${name}`)
  }
}

/** Compares the resources that the inputs come from with those that they have to come from. */
function sourceProblems({ from }: Declared, shape: Shape): readonly string[] {
  const wanted = [...new Set(sourcesOf(shape))]
  return [
    ...wanted.filter(name => from && !from.includes(name)).map(name => `takes nothing from ${name}.`),
    ...(from ?? []).filter(name => !wanted.includes(name)).map(name => `takes a value from ${name}.`),
  ]
}

function sourcesOf(shape: Shape | undefined): readonly string[] {
  if (shape instanceof Wanted) return shape.sources
  return typeof shape === 'object' ? Object.values(shape).flatMap(sourcesOf) : []
}

/** Judges a whole graph. @throws Error if the configuration is wrong */
export function judge(resources: readonly Declared[], stack: Stack): readonly Violation[] {
  const expected = expectedOf(stack)
  return [...resources.flatMap(one => judgeResource(one, expected)), ...judgeStack(resources, expected)]
}
