import * as azuread from '@pulumi/azuread'
import * as pulumi from '@pulumi/pulumi'
import type { SignInSettings } from '../settings/stack-settings.ts'
import { clientSecretName } from '../stack-facts.ts'
import { passwordArguments, principalArguments, registrationArguments } from './registration-arguments.ts'

/** How long the provider waits until every part of Entra sees a new object. */
const customTimeouts = { create: '10m', update: '10m', delete: '10m' }

export interface SignInAppArgs {
  readonly settings: SignInSettings
  /**
   * Object IDs, including the deployer's. Without owners the provider removes the creator, who can then no longer manage
   * what it may manage only as an owner.
   */
  readonly owners: readonly string[]
}

/** The app registration, its service principal, and two client secrets side by side. */
export class SignInApp extends pulumi.ComponentResource {
  readonly clientId: pulumi.Output<string>
  /** Newest first. Secret. */
  readonly clientSecrets: readonly pulumi.Output<string>[]

  constructor(name: string, args: SignInAppArgs, options?: pulumi.ComponentResourceOptions) {
    super('homeport:infra:SignInApp', name, {}, options)
    const { settings } = args
    const owners = [...args.owners]

    const application = new azuread.Application(
      `${name}-registration`,
      registrationArguments(settings, owners),
      { parent: this, customTimeouts },
    )
    new azuread.ServicePrincipal(
      `${name}-principal`,
      { ...principalArguments(settings, owners), clientId: application.clientId },
      // Entra deletes it with its registration, and the provider fails to delete one that is gone.
      { parent: this, customTimeouts, deletedWith: application },
    )
    const passwords = settings.clientSecrets.map(
      plan =>
        // A separate resource, because any change of the registration replaces an inline secret. The order is: create the
        // new one, update the handler, delete the old one. Never add deleteBeforeReplace.
        new azuread.ApplicationPassword(
          clientSecretName(plan.slot),
          { ...passwordArguments(plan), applicationId: application.id },
          // They go with their registration, also if somebody deleted one by hand, which the provider would fail to delete.
          { parent: this, customTimeouts, deletedWith: application },
        ),
    )

    this.clientId = application.clientId
    this.clientSecrets = passwords.map(password => pulumi.secret(password.value))
    this.registerOutputs({ clientId: this.clientId })
  }
}
