import * as cloudflare from '@pulumi/cloudflare'
import type { Input, Resource } from '@pulumi/pulumi'
import { keptInputs } from '../stack-facts.ts'
import type { Binding } from './worker-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'

/** Version of the Workers runtime. The tests of both Workers use the same. */
export const compatibilityDate = '2026-07-01'

export interface ScriptArgs {
  readonly accountId: string
  /** Name of a new script, unique in the account. */
  readonly scriptName: string
  readonly bundle: WorkerBundle
  /** Wrap secret values. */
  readonly bindings: readonly Binding<Input<string>>[]
}

/** Declares a Worker. @param name logical name of its component */
export function declareScript(
  name: string,
  parent: Resource,
  { accountId, scriptName, bundle, bindings }: ScriptArgs,
): cloudflare.WorkersScript {
  return new cloudflare.WorkersScript(
    `${name}-worker`,
    {
      accountId,
      scriptName,
      mainModule: 'worker.js',
      content: bundle.content,
      contentSha256: bundle.sha256,
      compatibilityDate,
      bindings: [...bindings],
      observability,
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

/** A custom domain. */
export interface DomainArgs {
  readonly accountId: string
  readonly zoneId: string
  /** In the zone. */
  readonly host: string
}

/** Declares the host that a Worker serves. @param name logical name of its component */
export function declareDomain(
  name: string,
  parent: Resource,
  service: Input<string>,
  { accountId, zoneId, host }: DomainArgs,
): void {
  new cloudflare.WorkersCustomDomain(
    `${name}-domain`,
    { accountId, zoneId, hostname: host, service },
    // Every change is a replacement, and the service has one domain per hostname: deleting the old one last would
    // delete the new one.
    { parent, deleteBeforeReplace: true },
  )
}

/**
 * Declared in full, since a field that the service adds shows as a change. Invocation logs are off: they contain the
 * query of a request, such as that of the callback, and with it the code.
 */
const observability = {
  enabled: true,
  headSamplingRate: 1,
  logs: { enabled: true, headSamplingRate: 1, invocationLogs: false, persist: true },
  traces: { enabled: false, headSamplingRate: 1, persist: true },
}
