import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings, WorkerSettings } from '../settings/sign-in-settings.ts'
import { keptInputs } from '../stack-facts.ts'
import { handlerBindings } from './worker-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'

/** Version of the Workers runtime. The handler's tests use the same. */
const compatibilityDate = '2026-07-01'

export interface SignInHandlerArgs {
  readonly settings: SignInSettings
  readonly worker: WorkerSettings
  /** Name of a new script and its database, unique in the account. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
  readonly clientId: pulumi.Output<string>
  readonly tenantId: string
  /** Newest first. */
  readonly clientSecrets: readonly pulumi.Output<string>[]
  readonly sessionKeys: pulumi.Output<string>
}

/** The sign-in handler as a Worker on its own host, with the employee database. */
export class SignInHandler extends pulumi.ComponentResource {
  readonly databaseId: pulumi.Output<string>

  constructor(name: string, args: SignInHandlerArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:SignInHandler', name, {}, options)
    const { settings, worker, serviceName, bundle } = args
    const { accountId, zoneId, host, importDatabaseId, jurisdiction } = worker

    const database = new cloudflare.D1Database(
      `${name}-database`,
      // The service returns readReplication. Undeclared, it would always show as a change.
      {
        accountId,
        name: serviceName,
        readReplication: { mode: 'disabled' },
        ...(jurisdiction === null ? {} : { jurisdiction }),
      },
      {
        parent: this,
        // Nothing else has the employees. A new name or jurisdiction would replace the database by an empty one.
        protect: true,
        ignoreChanges: [...keptInputs.database],
        ...(importDatabaseId === null ? {} : { import: `${accountId}/${importDatabaseId}` }),
      },
    )
    const script = new cloudflare.WorkersScript(
      `${name}-worker`,
      {
        accountId,
        scriptName: serviceName,
        mainModule: 'worker.js',
        content: bundle.content,
        contentSha256: bundle.sha256,
        compatibilityDate,
        bindings: [
          ...handlerBindings<pulumi.Input<string>>(settings, {
            tenantId: args.tenantId,
            clientId: args.clientId,
            databaseId: database.id,
            clientSecrets: pulumi.secret(
              pulumi.all([...args.clientSecrets]).apply(values => values.join(',')),
            ),
            sessionKeys: pulumi.secret(args.sessionKeys),
          }),
        ],
        observability,
      },
      // The provider does not know which bindings are secret, and returns them all.
      {
        parent: this,
        additionalSecretOutputs: ['bindings'],
        // A new name would replace the Worker, and its domain would be deleted meanwhile.
        ignoreChanges: [...keptInputs.script],
      },
    )
    new cloudflare.WorkersCustomDomain(
      `${name}-domain`,
      { accountId, zoneId, hostname: host, service: script.scriptName },
      // Every change is a replacement, and the service has one domain per hostname: deleting the old one last would
      // delete the new one.
      { parent: this, deleteBeforeReplace: true },
    )

    this.databaseId = database.id
    this.registerOutputs({ databaseId: this.databaseId })
  }
}

/**
 * Declared in full, since a field that the service adds shows as a change. Invocation logs are off: they contain the
 * query of the callback, and with it the code.
 */
const observability = {
  enabled: true,
  headSamplingRate: 1,
  logs: { enabled: true, headSamplingRate: 1, invocationLogs: false, persist: true },
  traces: { enabled: false, headSamplingRate: 1, persist: true },
}
