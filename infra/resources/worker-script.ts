import * as cloudflare from '@pulumi/cloudflare'
import { type Input, type Resource, ResourceHook } from '@pulumi/pulumi'
import { logicalNames } from '../resource-names.ts'
import { defaultAccess } from './cloudflare-access.ts'
import { checkHost } from './existing-record.ts'
import { type DomainPlace, keptInputs, scriptArguments } from './worker-arguments.ts'
import type { Binding } from './worker-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'

/** What each component with a Worker has. */
export interface WorkerArgs {
  /** 32 hex digits. */
  readonly accountId: string
  /** Name of a new script, unique in the account. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
}

/** Declares a Worker. @param name logical name of its component. @param bindings with secret values wrapped */
export function declareScript(
  name: string,
  parent: Resource,
  { accountId, serviceName, bundle }: WorkerArgs,
  bindings: readonly Binding<Input<string>>[],
): cloudflare.WorkersScript {
  return new cloudflare.WorkersScript(
    logicalNames(name).script,
    {
      ...scriptArguments(accountId, bindings),
      scriptName: serviceName,
      content: bundle.content,
      contentSha256: bundle.sha256,
    },
    // The provider does not know which bindings are secret, and returns them all.
    {
      parent,
      additionalSecretOutputs: ['bindings'],
      // A new name would replace the Worker, and its domain would be deleted meanwhile.
      ignoreChanges: [...keptInputs.script],
    },
  )
}

/** Declares the host that a Worker serves. @param name logical name of its component */
export function declareDomain(
  name: string,
  parent: Resource,
  service: Input<string>,
  place: DomainPlace,
): void {
  const access = defaultAccess()
  const freeHost = new ResourceHook(`free-${name}-host`, () => checkHost(place, access), { onDryRun: true })
  new cloudflare.WorkersCustomDomain(
    logicalNames(name).domain,
    { ...place, service },
    // Every change is a replacement, and Cloudflare has one domain per hostname: deleting the old one last would
    // delete the new one.
    { parent, deleteBeforeReplace: true, hooks: { beforeCreate: [freeHost] } },
  )
}
