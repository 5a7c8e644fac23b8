import * as pulumi from '@pulumi/pulumi'
import { fieldOf } from '../json.ts'
import { types } from '../resource-names.ts'

/** A resource as the last run left it in the state, even if that run failed. */
export interface Own {
  readonly urn: string
  /** Name in the program. */
  readonly name: string
  readonly type: string
  readonly outputs: unknown
}

/** The stack, as the CLI and the engine name it. */
export const stackName = (): string =>
  [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join('/')

/** Reads the state as the last run left it, without a call to a service. */
export async function readOwnState(): Promise<readonly Own[]> {
  // Outputs of the stack can be absent after a failed run, so a StackReference would miss what that run created.
  const answer: unknown = await pulumi.runtime.invoke('pulumi:pulumi:readStackResourceOutputs', {
    stackName: stackName(),
  })
  const resources = Object.entries(fieldOf(answer, 'outputs') ?? {})
  return resources.map(([urn, resource]) => ({
    urn,
    name: urn.split('::').slice(3).join('::'),
    type: String(fieldOf(resource, 'type')),
    outputs: fieldOf(resource, 'outputs'),
  }))
}

/** Returns the outputs of a cron trigger that the last run left in the state; undefined without one. */
export async function ownTrigger(name: string): Promise<unknown> {
  const state = await readOwnState().catch((): readonly Own[] => [])
  return state.find(one => one.type === types.trigger && one.name === name)?.outputs
}
