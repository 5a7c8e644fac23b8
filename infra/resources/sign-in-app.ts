import * as azuread from '@pulumi/azuread'
import * as pulumi from '@pulumi/pulumi'
import { certificateName, clientSecretName } from '../resource-names.ts'
import type { SignInSettings } from '../settings/stack-settings.ts'
import {
  certificateArguments,
  passwordArguments,
  principalArguments,
  registrationArguments,
} from './registration-arguments.ts'

/** How long the provider waits until every part of Entra sees a new object. */
const customTimeouts = { create: '10m', update: '10m', delete: '10m' }

/** Graph's codes for a credential or a lifetime that a policy forbids (Microsoft Graph, application management policies). */
const forbiddenByPolicy = /Credential\w*AsPerAppPolicy/

/**
 * Creates a hook that explains the failure if a policy of the tenant forbids a credential, or if one to delete is gone: a refresh with the
 * program does not read what is replaced.
 * @param what plural, such as `certificates`
 * @param instead what to do without an exemption; follows "or"
 */
const failureHook = (name: string, what: string, instead: string) =>
  new pulumi.ErrorHook(name, async ({ errors }) => {
    if (errors.some(error => forbiddenByPolicy.test(error)))
      await pulumi.log.error(
        `A policy of the tenant forbids ${what}, or ones that are valid for so long (Entra, Application management policies). Ask an administrator to exempt this registration, or ${instead}.`,
      )
    // Graph's removePassword.
    if (errors.some(error => error.includes('No password credential found')))
      await pulumi.log.error(
        'Entra no longer has this client secret. Run pulumi up --run-program=false, which removes it from the state.',
      )
    return false
  })

export interface SignInAppArgs {
  readonly settings: SignInSettings
  /**
   * Object IDs, including the deployer's. Without owners the provider removes the creator, who can then no longer manage
   * what it may manage only as an owner.
   */
  readonly owners: readonly string[]
}

/**
 * Reads who deploys, and returns the tenant and the owners of the registration: the configured IDs, or else the deployer.
 * @throws RunError for a deployer who is not listed, and could no longer update it with the least permission there is
 */
export async function readDeployer({ ownerObjectIds: listed }: SignInSettings) {
  const { tenantId, objectId } = await azuread.getClientConfig()
  const owners = listed ?? [objectId]
  if (owners.includes(objectId)) return { tenantId, owners: owners.toSorted() }
  const all = [...owners, objectId].toSorted().join(',')
  throw new pulumi.RunError(
    `${pulumi.getProject()}:ownerObjectIds does not list ${objectId}, who deploys now. List everybody who deploys: pulumi config set --plaintext ownerObjectIds ${all}`,
  )
}

/** The app registration, its service principal, and its credentials: two client secrets side by side, or certificates. */
export class SignInApp extends pulumi.ComponentResource {
  readonly clientId: pulumi.Output<string>
  /** Newest first, separated by commas; empty without one. Secret. */
  readonly clientSecrets: pulumi.Output<string>

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
    const instead = 'use a certificate: docs/operate.md, "A certificate in place of secrets"'
    const blocked = failureHook('blocked-secret', 'client secrets', instead)
    const shorter = 'create one with fewer -days, or have the authority sign it that the policy names'
    const blockedCertificate = failureHook('blocked-certificate', 'certificates', shorter)
    // They go with their registration, also if somebody deleted one by hand, which the provider would fail to delete.
    const credentialOptions = { parent: this, customTimeouts, deletedWith: application }
    const passwords = settings.clientSecrets.map(
      plan =>
        // A separate resource, because any change of the registration replaces an inline secret. The order is: create the
        // new one, update the handler, delete the old one. Never add deleteBeforeReplace.
        new azuread.ApplicationPassword(
          clientSecretName(plan.slot),
          { ...passwordArguments(plan), applicationId: application.id },
          { ...credentialOptions, hooks: { onError: [blocked] } },
        ),
    )

    for (const plan of settings.certificates) {
      new azuread.ApplicationCertificate(
        certificateName(plan.der),
        { ...certificateArguments(plan), applicationId: application.id },
        { ...credentialOptions, hooks: { onError: [blockedCertificate] } },
      )
    }

    this.clientId = application.clientId
    const values = pulumi.all(passwords.map(({ value }) => value))
    this.clientSecrets = pulumi.secret(values.apply(secrets => secrets.join(',')))
    this.registerOutputs({ clientId: this.clientId })
  }
}
