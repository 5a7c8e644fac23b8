import { fileURLToPath } from 'node:url'
import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { forgetGone, watchDeclared } from './resources/departed-resources.ts'
import { DynamicDns } from './resources/dynamic-dns.ts'
import { handedOverField, refuseLosses } from './resources/kept-resources.ts'
import { loadSettings } from './settings/load.ts'
import { pushComponent, pushNameOf, serviceNameOf } from './stack-facts.ts'

const { settings, secretOf } = await loadSettings()
await refuseLosses(settings)
const field = await handedOverField()
const declared = watchDeclared()
const { record, signIn, push, clock } = settings
const serviceName = serviceNameOf(pulumi.getStack())
// Only a stack with the part loads its resources, and their providers.
const declareSignIn =
  signIn && (await (await import('./sign-in.ts')).prepareSignIn(signIn, serviceName, secretOf('sessionKeys')))
const endpoint = (push ?? clock) !== null && {
  ...(await import('./resources/push-endpoint.ts')),
  ...(await import('./resources/clock-trigger.ts')),
  bundle: (await import('./resources/worker-bundle.ts')).readWorkerBundle(
    fileURLToPath(new URL('..', import.meta.url)),
    'push-worker',
  ),
}
const baseUrl = new pulumi.Config('cloudflare').get('baseUrl')

/** What both tokens have in common. */
const tokens = record && {
  zoneId: record.zoneId,
  tokenAccountId: record.token.owner === 'account' ? settings.accountId : null,
  tokenRotation: record.token.rotation,
  minting: new cloudflare.Provider('minting', {
    apiToken: secretOf('mintingApiToken'),
    // An explicit provider does not inherit it.
    ...(baseUrl === undefined ? {} : { baseUrl }),
  }),
}

const dns =
  tokens &&
  new DynamicDns('dns', {
    ...tokens,
    records: record.plans,
    tokenName: serviceName,
    tokenLimits: record.token,
  })

const people = declareSignIn?.()

// Nobody may hear of a hostname whose record was refused: they would change one that the stack does not have.
if (dns && (push || record.handOver)) await dns.whenDeclared()

if (endpoint) {
  const name = pushNameOf(pulumi.getStack())
  new endpoint.PushEndpoint(pushComponent, {
    accountId: settings.accountId ?? '',
    serviceName: name,
    bundle: endpoint.bundle,
    endpoint: tokens &&
      push && {
        ...tokens,
        settings: push,
        hosts: secretOf('pushHosts'),
        tokenName: name,
        // A Worker has no address of its own.
        tokenLimits: { ...record.token, allowedCidrs: [] },
      },
    clock: clock === null ? null : { workflow: clock, token: secretOf('clockToken') },
    schedules: await endpoint.clockSchedules(clock !== null),
  })
}

if (record?.handOver && dns) {
  const { Repository } = await import('./resources/hand-over.ts')
  new Repository('repository', { target: record.handOver, record, token: dns.token, field })
}

await forgetGone(declared)

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
  /** Where routers send their address. */
  pushUrl: push?.origin,
  databaseId: people?.databaseId,
  /** Secret, JSON: the handler's settings by name. `npm run after-up -- --settings` writes them to files. */
  handlerSettings: people?.handlerSettings,
  /** When the first of the two client secrets expires. Rotate it before then. */
  clientSecretExpiresOn: signIn?.clientSecrets.map(({ endsOn }) => endsOn).toSorted()[0],
}

/** Only what the parts have: the SDK warns of an output without a value. */
export default Object.fromEntries(Object.entries(outputs).filter(([, value]) => value != null))
