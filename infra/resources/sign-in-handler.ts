import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings } from '../settings/stack-settings.ts'
import type { HandlerValues } from './handler-settings.ts'
import { databaseArguments, keptInputs } from './worker-arguments.ts'
import { handlerBindings } from './worker-bindings.ts'
import { declareDomain, declareScript, type WorkerArgs } from './worker-script.ts'

export interface SignInHandlerArgs extends WorkerArgs {
  /** Of the handler's host, 32 hex digits. */
  readonly zoneId: string
  readonly settings: SignInSettings
  /** In the zone. */
  readonly host: string
  readonly values: HandlerValues<pulumi.Input<string>>
}

/** The sign-in handler as a Worker on its own host, with the employee database. */
export class SignInHandler extends pulumi.ComponentResource {
  readonly databaseId: pulumi.Output<string>

  constructor(name: string, args: SignInHandlerArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:SignInHandler', name, {}, options)
    const { accountId, zoneId, settings, host, serviceName, values } = args

    const database = new cloudflare.D1Database(
      `${name}-database`,
      databaseArguments(accountId, serviceName, settings.databaseJurisdiction),
      {
        parent: this,
        // Nothing else has the employees. A new name or jurisdiction would replace the database by an empty one.
        protect: true,
        ignoreChanges: [...keptInputs.database],
        // `pulumi import` of an existing one puts it below the stack.
        aliases: [{ parent: pulumi.rootStackResource }],
      },
    )
    const bound = { ...values, databaseId: database.id }
    const bindings = handlerBindings<pulumi.Input<string>>(settings, bound)
    const { scriptName } = declareScript(name, this, args, bindings)
    declareDomain(name, this, scriptName, { accountId, zoneId, hostname: host })

    this.databaseId = database.id
    this.registerOutputs({ databaseId: this.databaseId })
  }
}
