import { types } from '../stack-facts.ts'
import type { StateResource } from '../stack-state.ts'
import type { Declared } from './rule.ts'

/** The part of a resource in the state that these rules see. */
export type Kept = Pick<StateResource, 'type' | 'name' | 'id' | 'outputs' | 'protect' | 'toDelete'>

/**
 * A rule that compares with the state, since the engine does not tell policies what it deletes. Its messages continue the
 * resource's name.
 */
export interface StateRule {
  readonly name: string
  readonly description: string
  readonly types: readonly string[]
  check(resource: Declared, state: readonly Kept[]): readonly string[]
}

/** The first resource of every run, which is judged before anything changes. */
const root = 'pulumi:pulumi:Stack'

/** What an import would delete although it is protected. */
const nouns: Readonly<Record<string, string>> = { [types.record]: 'record', [types.database]: 'database' }
const keptIn = (state: readonly Kept[]) => state.filter(({ type }) => Object.hasOwn(nouns, type))

/** Holds before each change: the engine refuses to replace what is protected, except by an import. */
export const stateKept: StateRule = {
  name: 'state-kept',
  description:
    'No run is about to delete the record or the database. The record in the state stays protected, in its zone and of its type.',
  types: [root, ...Object.keys(nouns)],
  check({ type, name, props }, state) {
    const problems = keptIn(state)
      .filter(({ toDelete }) => toDelete)
      .map(
        one =>
          `would delete the ${nouns[one.type]} ${one.id}, which an import replaced. To keep it, take it out of the state, as docs/infrastructure.md says under "Troubleshooting".`,
      )
    const kept = state.filter(one => one.type === types.record && !one.toDelete)
    if (type === root) {
      const open = kept.filter(({ protect }) => !protect)
      return [
        ...problems,
        ...open.map(
          ({ id }) =>
            `has the record ${id} without protection in its state, so a run could delete it. Run pulumi state protect with its URN.`,
        ),
      ]
    }
    const own = kept.find(one => one.type === type && one.name === name)
    const changed = own === undefined ? [] : ['zoneId', 'type'].filter(key => props[key] !== own.outputs[key])
    if (changed.length === 0) return problems
    return [
      ...problems,
      `would replace the record ${own?.id}, because its ${changed.join(' and ')} differ. Restore what the stack declared before. To leave the record as it is and create another, run pulumi state delete --force with its URN first.`,
    ]
  },
}

/**
 * Finds imports that would replace the record or the database. For previews: in an up, the engine asks policies of the whole
 * stack after it has deleted.
 */
export function replacingImports(resources: readonly Declared[], state: readonly Kept[]): readonly string[] {
  return keptIn(state).flatMap(({ type, name, id, toDelete }) => {
    const planned = resources.find(one => one.type === type && one.name === name)
    const next = planned ? knownId(planned) : null
    if (toDelete || next === null || next === id) return []
    return [
      `${name} would import the ${nouns[type]} ${String(next)} and delete the ${nouns[type]} ${id}. Remove the import. If ${id} no longer exists, run pulumi refresh first.`,
    ]
  })
}

/** Reading a value that a preview does not know throws. Such a record is new, or it is gone and comes back. */
function knownId({ props }: Declared): unknown {
  try {
    return props['id'] ?? null
  } catch {
    return null
  }
}

export const stateRules: readonly StateRule[] = [stateKept]

/** The rule of `replacingImports`. */
export const importsReplaceNothing = {
  name: 'imports-replace-nothing',
  description:
    'No import replaces the record or the database, which would be deleted although it is protected.',
}
