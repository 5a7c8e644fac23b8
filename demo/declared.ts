import type { Declared } from '../infra/policy/rule.ts'
import type { Graph } from '../sandbox/pulumi/engine/graph.ts'

/** Converts a captured graph to the form that policy rules take. */
export function declaredIn({ resources }: Graph): readonly Declared[] {
  return resources
    .filter(({ custom }) => custom)
    .map(({ type, name, inputs, options, provider }) => ({
      type,
      name,
      props: inputs,
      options: {
        protect: options.protect === true,
        ignoreChanges: options.ignoreChanges ?? [],
        deleteBeforeReplace: options.deleteBeforeReplace === true,
        additionalSecretOutputs: options.additionalSecretOutputs ?? [],
      },
      provider: provider === '' ? null : (provider.split('::').at(-1) ?? null),
    }))
}
