import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings, WorkerSettings } from '../settings/stack-settings.ts'
import { keptInputs } from '../stack-facts.ts'
import { databaseArguments } from './worker-arguments.ts'
import { handlerBindings } from './worker-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'
import { declareDomain, declareScript } from './worker-script.ts'

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
    const { accountId, jurisdiction } = worker

    const database = new cloudflare.D1Database(
      `${name}-database`,
      databaseArguments(accountId, serviceName, jurisdiction),
      {
        parent: this,
        // Nothing else has the employees. A new name or jurisdiction would replace the database by an empty one.
        protect: true,
        ignoreChanges: [...keptInputs.database],
        // `pulumi import` of an existing one puts it below the stack.
        aliases: [{ parent: pulumi.rootStackResource }],
      },
    )
    const { scriptName } = declareScript(name, this, {
      accountId,
      scriptName: serviceName,
      bundle,
      bindings: handlerBindings<pulumi.Input<string>>(settings, {
        tenantId: args.tenantId,
        clientId: args.clientId,
        databaseId: database.id,
        clientSecrets: pulumi.secret(pulumi.all([...args.clientSecrets]).apply(values => values.join(','))),
        sessionKeys: pulumi.secret(args.sessionKeys),
      }),
    })

    declareDomain(name, this, scriptName, worker)

    this.databaseId = database.id
    this.registerOutputs({ databaseId: this.databaseId })
  }
}
