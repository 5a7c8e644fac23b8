import { fileURLToPath } from 'node:url'
import * as azuread from '@pulumi/azuread'
import * as pulumi from '@pulumi/pulumi'
import { handlerTexts } from './resources/handler-texts.ts'
import { SignInApp } from './resources/sign-in-app.ts'
import { SignInHandler } from './resources/sign-in-handler.ts'
import { readWorkerBundle } from './resources/worker-bundle.ts'
import type { SignInSettings } from './settings/stack-settings.ts'

/** Outputs of the part `signIn`. */
export interface SignInOutputs {
  readonly clientId: pulumi.Output<string>
  readonly tenantId: string
  readonly databaseId?: pulumi.Output<string>
  readonly handlerSettings?: pulumi.Output<string>
}

/**
 * Reads what the part `signIn` needs before anything is declared, and returns the function that declares it.
 * @param serviceName name of a new Worker and its database
 * @throws RunError if the Worker is not built, or if `ownerObjectIds` lacks the deployer
 */
export async function prepareSignIn(
  settings: SignInSettings,
  serviceName: string,
  sessionKeys: pulumi.Output<string>,
): Promise<() => SignInOutputs> {
  const { worker } = settings
  const bundle = worker && readWorkerBundle(fileURLToPath(new URL('..', import.meta.url)))
  const deployer = await azuread.getClientConfig()
  const { tenantId } = deployer
  const owners = ownersFor(settings.ownerObjectIds, deployer.objectId)
  return () => {
    const { clientId, clientSecrets } = new SignInApp('sign-in', { settings, owners })
    if (worker && bundle) {
      const values = { settings, worker, serviceName, bundle, clientId, tenantId, clientSecrets, sessionKeys }
      const { databaseId } = new SignInHandler('handler', values)
      return { clientId, tenantId, databaseId }
    }
    const handlerSettings = pulumi
      .all([clientId, pulumi.all([...clientSecrets]), sessionKeys])
      .apply(([id, secrets, keys]) =>
        JSON.stringify(
          handlerTexts(settings, {
            tenantId,
            clientId: id,
            clientSecrets: secrets.join(','),
            sessionKeys: keys,
          }),
        ),
      )
    return { clientId, tenantId, handlerSettings: pulumi.secret(handlerSettings) }
  }
}

/**
 * Returns the owners of the registration: the configured IDs, or else the deployer.
 * @throws RunError for a deployer who is not listed, and could no longer update it with the least permission there is
 */
function ownersFor(listed: readonly string[] | null, deployer: string): readonly string[] {
  if (listed === null) return [deployer]
  if (listed.includes(deployer)) return listed.toSorted()
  const all = [...listed, deployer].toSorted().join(',')
  throw new pulumi.RunError(
    `${pulumi.getProject()}:ownerObjectIds does not list ${deployer}, who deploys now. List everybody who deploys: pulumi config set --plaintext ownerObjectIds ${all}`,
  )
}
