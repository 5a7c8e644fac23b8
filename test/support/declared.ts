import type { Declared } from '../../infra/policy/rule.ts'
import { type ProgramRun, runProgram } from '../../sandbox/pulumi/engine/engine.ts'
import type { Graph } from '../../sandbox/pulumi/engine/graph.ts'
import { cannedSecrets, demoConfig, ensureWorker, program, stackName } from './deployment.ts'

/** Runs the program with the demo's configuration and these changes to it. Creates nothing. */
export async function declare(changes: Readonly<Record<string, string>> = {}): Promise<ProgramRun> {
  await ensureWorker()
  const config = { ...demoConfig({ zoneId: '0'.repeat(32), accountId: 'f'.repeat(32) }), ...changes }
  return runProgram({ program, stack: stackName, config, secrets: cannedSecrets })
}

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
