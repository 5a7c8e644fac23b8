import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings, WorkerSettings } from '../settings/stack-settings.ts'
import type { HandlerValues } from './handler-settings.ts'
import { databaseArguments, keptInputs } from './worker-arguments.ts'
import { handlerBindings } from './worker-bindings.ts'
import type { WorkerBundle } from './worker-bundle.ts'
import { declareDomain, declareScript } from './worker-script.ts'

export interface SignInHandlerArgs {
  /** 32 hex digits. */
  readonly accountId: string
  /** Of the handler's host, 32 hex digits. */
  readonly zoneId: string
  readonly settings: SignInSettings
  readonly worker: WorkerSettings
  /** Name of a new script and its database, unique in the account. */
  readonly serviceName: string
  readonly bundle: WorkerBundle
  readonly values: HandlerValues<pulumi.Input<string>>
}

/** The sign-in handler as a Worker on its own host, with the employee database. */
export class SignInHandler extends pulumi.ComponentResource {
  readonly databaseId: pulumi.Output<string>

  constructor(name: string, args: SignInHandlerArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:SignInHandler', name, {}, options)
    const { accountId, zoneId, settings, worker, serviceName, bundle, values } = args

    const database = new cloudflare.D1Database(
      `${name}-database`,
      databaseArguments(accountId, serviceName, worker.jurisdiction),
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
        ...values,
        databaseId: database.id,
      }),
    })

    declareDomain(name, this, scriptName, { accountId, zoneId, host: worker.host })

    this.databaseId = database.id
    this.registerOutputs({ databaseId: this.databaseId })
  }
}
