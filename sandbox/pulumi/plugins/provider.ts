import { changedKeys, isSet, type Properties, withIgnored } from '../properties.ts'
import { unknownValue } from '../wire.ts'
import type {
  CheckFailure,
  CreatedResource,
  FoundResource,
  Package,
  PriorResource,
  Resource,
} from './resource.ts'

/** The inputs that differ, and those among them that require a replacement. */
export interface Difference {
  readonly changes: readonly string[]
  readonly replaces: readonly string[]
}

/** A configured provider. */
export interface Provider {
  check(type: string, inputs: Properties): readonly CheckFailure[]
  /**
   * Compares the program's inputs with the previous ones, or with those that a refresh found.
   * @param ignored the program's `ignoreChanges`, for inputs with another owner
   */
  diff(type: string, before: PriorResource, now: Properties, ignored?: readonly string[]): Difference
  create(type: string, inputs: Properties): Promise<CreatedResource>
  /** Returns a resource that does not exist yet, as a preview shows it. */
  preview(type: string, inputs: Properties): Properties
  read(type: string, id: string, known: PriorResource): Promise<FoundResource | null>
  update(
    type: string,
    id: string,
    inputs: Properties,
    known: PriorResource,
    ignored?: readonly string[],
  ): Promise<Properties>
  delete(type: string, id: string, state: Properties): Promise<void>
  lookUp(token: string, args: Properties): Promise<Properties>
}

/** The emulated provider does not have a type, function or operation. */
export class UnknownType extends Error {
  override readonly name = 'UnknownType'
}

/** Configures a package. The environment fills in missing settings. */
export function createProvider<Client>(
  { name, connect, resources, lookups }: Package<Client>,
  config: Properties,
  environment: NodeJS.ProcessEnv,
): Provider {
  const client = connect(config, environment)
  function resourceOf(type: string): Resource<Client> {
    const resource = Object.hasOwn(resources, type) ? resources[type] : undefined
    if (resource === undefined) {
      throw new UnknownType(
        `The emulated provider ${name} has no ${type}, only ${Object.keys(resources).join(', ')}.`,
      )
    }
    return resource
  }
  return {
    // An unknown type passes, so that policies can check it. Creating it fails.
    check: (type, inputs) => (Object.hasOwn(resources, type) ? (resources[type]?.check?.(inputs) ?? []) : []),
    diff: (type, { inputs, state }, now, ignored = []) => {
      const { replaceOn, removedUnlessDeclared = [] } = resourceOf(type)
      const removed = removedUnlessDeclared.filter(key => isSet(state[key]) && !isSet(now[key]))
      const changes = [...new Set([...changedKeys(inputs, now), ...removed])].filter(
        key => !ignored.includes(key),
      )
      return {
        changes,
        replaces: replaceOn === 'all' ? changes : changes.filter(key => replaceOn.includes(key)),
      }
    },
    create: (type, inputs) => resourceOf(type).create(client, inputs),
    preview: (type, inputs) => {
      const { computed } = resourceOf(type)
      return { ...Object.fromEntries(computed.map(key => [key, unknownValue])), ...inputs }
    },
    read: (type, id, known) => resourceOf(type).read(client, id, known),
    update: (type, id, inputs, known, ignored = []) => {
      const { update } = resourceOf(type)
      if (update === undefined) throw new UnknownType(`${type} cannot be updated, only replaced.`)
      return update(client, id, withIgnored(inputs, known.state, ignored), known)
    },
    delete: (type, id, state) => resourceOf(type).delete(client, id, state),
    lookUp: async (token, args) => {
      const lookup = Object.hasOwn(lookups, token) ? lookups[token] : undefined
      if (lookup === undefined) {
        throw new UnknownType(
          `The emulated provider ${name} has no ${token}, only ${Object.keys(lookups).join(', ')}.`,
        )
      }
      return lookup(client, args)
    },
  }
}
