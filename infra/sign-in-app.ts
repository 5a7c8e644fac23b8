import * as azuread from '@pulumi/azuread'
import * as pulumi from '@pulumi/pulumi'
import { graph } from './graph-permissions.ts'
import type { Settings } from './settings.ts'

/** Entra's parts see a new object one after another; the provider waits for them as long as this lets it. */
const patience = { create: '10m', update: '10m', delete: '10m' }

export interface SignInAppArgs {
  readonly settings: Settings
  /**
   * Object ids, the deployer's among them. Without owners the provider removes the creator, who would then be locked out
   * of what it may only manage as owner.
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
      {
        displayName: settings.displayName,
        signInAudience: 'AzureADMyOrg',
        owners,
        // Inline, and nowhere else: resources of their own for redirects or permissions wipe what stands here.
        web: {
          redirectUris: [settings.redirectUri],
          implicitGrant: { accessTokenIssuanceEnabled: false, idTokenIssuanceEnabled: false },
        },
        requiredResourceAccesses: [
          { resourceAppId: graph.appId, resourceAccesses: [{ id: graph.userRead, type: 'Scope' }] },
        ],
      },
      { parent: this, customTimeouts: patience },
    )
    new azuread.ServicePrincipal(
      `${name}-principal`,
      { clientId: application.clientId, owners, appRoleAssignmentRequired: settings.requireAssignment },
      { parent: this, customTimeouts: patience },
    )
    const passwords = settings.clientSecrets.map(
      ({ slot, rotatedOn, endsOn }) =>
        // Of its own, since an inline one is made anew with every change of the registration. The new one is made, the
        // Worker updated, and only then the old one removed: never deleteBeforeReplace here.
        new azuread.ApplicationPassword(
          `${name}-secret-${slot}`,
          {
            applicationId: application.id,
            displayName: `homeport ${slot}`,
            endDate: endsOn,
            rotateWhenChanged: { rotatedOn },
          },
          { parent: this, customTimeouts: patience },
        ),
    )

    this.clientId = application.clientId
    this.clientSecrets = passwords.map(password => pulumi.secret(password.value))
    this.registerOutputs({ clientId: this.clientId })
  }
}
