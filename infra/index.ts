import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { DynamicDns } from './resources/dynamic-dns.ts'
import { refuseLosses } from './resources/kept-resources.ts'
import { loadSettings } from './settings/load.ts'
import { serviceNameOf } from './stack-facts.ts'

const { settings, secretOf, cloudflareBaseUrl, cloudflareAccess } = loadSettings()
await refuseLosses(settings)
const { record, signIn } = settings
const serviceName = serviceNameOf(pulumi.getStack())
// Only a stack with the part needs the providers of its resources.
const declareSignIn =
  signIn && (await (await import('./sign-in.ts')).prepareSignIn(signIn, serviceName, secretOf('sessionKeys')))

const dns =
  record &&
  new DynamicDns('dns', {
    zoneId: record.zoneId,
    records: record.plans,
    tokenAccountId: record.token.owner === 'account' ? settings.accountId : null,
    tokenName: serviceName,
    tokenRotation: record.token.rotation,
    tokenLimits: record.token,
    minting: new cloudflare.Provider('minting', {
      apiToken: secretOf('mintingApiToken'),
      ...(cloudflareBaseUrl === null ? {} : { baseUrl: cloudflareBaseUrl }),
    }),
    cloudflareAccess,
  })

const people = declareSignIn?.()

if (record?.handOver && dns) {
  const { Repository } = await import('./resources/hand-over.ts')
  new Repository('repository', { target: record.handOver, record, token: dns.token })
}

const outputs = {
  accountId: settings.accountId,
  zoneId: settings.zoneId,
  /** One a line, as the action takes them. */
  hostname: record && [...new Set(record.plans.map(({ name }) => name))].join('\n'),
  /** Separated by commas, as the handler takes them. */
  redirectUri: signIn?.redirectUris.join(','),
  /** Of the first record. */
  recordId: dns?.recordId,
  /** By `NAME TYPE`. */
  recordIds: dns?.recordIds,
  /** `npm run drift` reports every other token with the stack's name. */
  dnsTokenId: dns?.tokenId,
  /** `pulumi up --replace` with this URN creates a new token at once. */
  tokenUrn: dns?.tokenUrn,
  /** Secret. Only `pulumi stack output dnsToken --show-secrets` shows it. */
  dnsToken: dns?.token,
  clientId: people?.clientId,
  tenantId: people?.tenantId,
  /** Of the first origin. */
  handlerUrl: signIn && signIn.publicOrigins[0] + (signIn.handler.BASE_PATH ?? ''),
  databaseId: people?.databaseId,
  /** Secret, JSON: the handler's settings by name. `npm run after-up -- --settings` writes them to files. */
  handlerSettings: people?.handlerSettings,
  /** When the first of the two client secrets expires. Rotate it before then. */
  clientSecretExpiresOn: signIn?.clientSecrets.map(({ endsOn }) => endsOn).toSorted()[0],
}

/** Only what the parts have: the SDK warns of an output without a value. */
export default Object.fromEntries(Object.entries(outputs).filter(([, value]) => value != null))
