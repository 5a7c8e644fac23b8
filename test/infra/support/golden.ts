import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { readWorkerBundle } from '../../../infra/resources/worker-bundle.ts'
import type { ProgramRun } from '../../../sandbox/pulumi/engine/engine.ts'
import type { GraphResource } from '../../../sandbox/pulumi/engine/graph.ts'
import { asProperties, type Json, type Properties } from '../../../sandbox/pulumi/properties.ts'
import { daysAgo } from '../../support/configuration.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Returns texts that change with the day or the commit, with the name that replaces each. */
function variableTexts(): readonly (readonly [string, string])[] {
  const bundles = (['worker', 'push-worker', 'clock-worker'] as const).flatMap(name => {
    const { content, sha256 } = readWorkerBundle(root, name)
    return [[content, `[build/${name}.js]`] as const, [sha256, '[its SHA-256]'] as const]
  })
  return [
    ...bundles,
    ...[10, 60].flatMap(days => [
      [daysAgo(days), `[${days} days ago]`] as const,
      [daysAgo(days - 180), `[180 days after ${days} days ago]`] as const,
    ]),
  ]
}

/** Returns what a resource has other than an earlier one of its type, which it names. */
function besides(earlier: readonly (readonly [string, Properties])[], details: Properties): Json {
  const found = earlier.find(([, { type }]) => type === details['type'])
  return found ? { like: found[0], ...asProperties(difference(found[1], details)) } : details
}

const shortOf = (urn: string) => urn.split('::').at(-1) ?? urn

/**
 * Formats the graph of a run for review: sorted by name, secrets without their value, without empty fields, each URN by its
 * last part, and what is alike once.
 * @param base a run from which only the differences are shown
 */
export function goldenOf(run: ProgramRun, base?: ProgramRun): string {
  const shown = base === undefined ? describe(run) : difference(describe(base), describe(run))
  const heading =
    base === undefined ? '' : '# What differs from minimal.yaml. [none]: the field is not there.\n'
  return heading + stringify(shown, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Returns the fields of a value that another one does not have, and `[none]` for those that only the other one has. */
function difference(base: Json, value: Json): Json {
  const [before, after] = [fieldsOf(base), fieldsOf(value)]
  if (before === null || after === null) return value
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  const changed = keys.filter(key => !isDeepStrictEqual(before[key], after[key]))
  return Object.fromEntries(
    changed.map(key => [
      key,
      difference(before[key] ?? null, key in after ? (after[key] ?? null) : '[none]'),
    ]),
  )
}

/** Returns the fields of an object, or the elements of a list by their names. Null if the list has none, or another order. */
function fieldsOf(value: Json): Properties | null {
  if (typeof value !== 'object' || value === null) return null
  if (!Array.isArray(value)) return asProperties(value)
  const names = value.map(one => String(asProperties(one)['name']))
  const sorted = [...new Set(names)].toSorted()
  return value.length > 0 && !names.includes('undefined') && isDeepStrictEqual(names, sorted)
    ? Object.fromEntries(value.map((one, index) => [names[index], one]))
    : null
}

function describe({ graph, outputs }: ProgramRun): Properties {
  const replacements = variableTexts()
  const plain = (text: string) =>
    replacements.reduce((rest, [found, name]) => (rest === found ? name : rest.replaceAll(found, name)), text)
  const masked = (value: Json, secret: readonly string[], path = ''): Json => {
    if (secret.includes(path)) return '[secret]'
    if (typeof value === 'string') return plain(value)
    if (Array.isArray(value)) return value.map((one, index) => masked(one, secret, `${path}[${index}]`))
    if (typeof value !== 'object' || value === null) return value
    return maskedObject(asProperties(value), secret, path === '' ? '' : `${path}.`)
  }
  const maskedObject = (value: Properties, secret: readonly string[], prefix = ''): Properties =>
    Object.fromEntries(
      Object.entries(value)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, inner]) => [key, masked(inner, secret, `${prefix}${key}`)]),
    )
  const described = (resource: GraphResource) => {
    const { type, parent, provider, inputs, secretInputs, propertyDependencies } = resource
    // What the state keeps secret: the SDKs name it for most types, and the policies require it of a Worker.
    const { additionalSecretOutputs: _, ...options } = resource.options
    const details = {
      type,
      parent: shortOf(parent),
      provider: shortOf(provider),
      inputs: maskedObject(inputs, secretInputs),
      from: Object.fromEntries(
        Object.entries(propertyDependencies).map(([input, urns]) => [input, urns.map(shortOf)]),
      ),
      options,
    }
    return Object.fromEntries(
      Object.entries(details).filter(([, value]) => value !== '' && Object.keys(value).length > 0),
    ) as Properties
  }
  const resources = graph.resources
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(resource => [resource.name, described(resource)] as const)
  const questions = graph.invokes
    .map(({ token, args, provider }) => [token, { provider: shortOf(provider), args }] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return {
    resources: Object.fromEntries(
      resources.map(([name, details], index) => [name, besides(resources.slice(0, index), details)]),
    ),
    questions: Object.fromEntries(questions),
    outputs: maskedObject(outputs.value, outputs.secretPaths),
  }
}

export const readText = (path: string): string => readFileSync(`${root}/${path}`, 'utf8')
