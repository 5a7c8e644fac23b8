import { fileURLToPath } from 'node:url'
import * as azuread from '@pulumi/azuread'
import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { DynamicDns } from './resources/dynamic-dns.ts'
import { refuseReplacements } from './resources/kept-resources.ts'
import { SignInApp } from './resources/sign-in-app.ts'
import { SignInHandler } from './resources/sign-in-handler.ts'
import { readWorkerBundle } from './resources/worker-bundle.ts'
import { loadSettings, ownersFor } from './settings/load.ts'
import { serviceNameOf } from './stack-facts.ts'

const { settings, sessionKeys, mintingApiToken, cloudflareBaseUrl, cloudflareAccess } = loadSettings()
await refuseReplacements(settings)
const bundle = readWorkerBundle(fileURLToPath(new URL('..', import.meta.url)))
const deployer = await azuread.getClientConfig()
const owners = ownersFor(settings.ownerObjectIds, deployer.objectId)
const serviceName = serviceNameOf(pulumi.getStack())

const minting = new cloudflare.Provider('minting', {
  apiToken: mintingApiToken,
  ...(cloudflareBaseUrl === null ? {} : { baseUrl: cloudflareBaseUrl }),
})

const dns = new DynamicDns('dns', { settings, tokenName: serviceName, minting, cloudflareAccess })

const app = new SignInApp('sign-in', { settings, owners })

const handler = new SignInHandler('handler', {
  settings,
  serviceName,
  bundle,
  clientId: app.clientId,
  tenantId: deployer.tenantId,
  clientSecrets: app.clientSecrets,
  sessionKeys,
})

if (settings.handOver !== null) {
  const { Repository } = await import('./resources/hand-over.ts')
  const { zoneId, hostname } = settings
  new Repository('repository', { target: settings.handOver, zoneId, hostname, token: dns.token })
}

export const { accountId, zoneId, hostname, redirectUri } = settings
export const recordId = dns.recordId
/** `npm run drift` reports every other token with the stack's name. */
export const dnsTokenId = dns.tokenId
/** `pulumi up --replace` with this URN creates a new token at once. */
export const tokenUrn = dns.tokenUrn
/** Secret. Only `pulumi stack output dnsToken --show-secrets` shows it. */
export const dnsToken = dns.token
export const clientId = app.clientId
export const { tenantId } = deployer
export const handlerUrl = settings.publicOrigin + (settings.handler.BASE_PATH ?? '')
export const databaseId = handler.databaseId
/** When the first of the two client secrets expires. Rotate it before then. */
export const clientSecretExpiresOn = settings.clientSecrets.map(({ endsOn }) => endsOn).toSorted()[0]
