import * as pulumi from '@pulumi/pulumi'
import { quoteValue } from '../../lib/quote.ts'
import type { Reading } from '../../lib/reading.ts'
import { fieldOf } from '../json.ts'
import { nameInUrn, types } from '../resource-names.ts'

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

/**
 * Reads the state as the last run left it, without a call to a service. Call it before anything is declared: while resources are
 * registered, the engine's state can lack what the last run left (seen with 3.259.0).
 */
export async function readOwnState(): Promise<Reading<readonly Own[]>> {
  try {
    // Outputs of the stack can be absent after a failed run, so a StackReference would miss what that run created.
    const answer: unknown = await pulumi.runtime.invoke('pulumi:pulumi:readStackResourceOutputs', {
      stackName: stackName(),
    })
    const resources = Object.entries(fieldOf(answer, 'outputs') ?? {})
    const value = resources.map(([urn, resource]) => ({
      urn,
      name: nameInUrn(urn),
      type: String(fieldOf(resource, 'type')),
      outputs: fieldOf(resource, 'outputs'),
    }))
    return { value }
  } catch (error) {
    return { problem: `Cannot read the state to see what the stack has: ${quoteValue(String(error))}.` }
  }
}

/** Returns the outputs of a cron trigger that the last run left in the state; undefined without one. */
export function triggerIn(state: readonly Own[], name: string): unknown {
  return state.find(one => one.type === types.trigger && one.name === name)?.outputs
}
