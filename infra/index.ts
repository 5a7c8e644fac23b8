import { fileURLToPath } from 'node:url'
import * as cloudflare from '@pulumi/cloudflare'
import * as pulumi from '@pulumi/pulumi'
import { forgetGone, watchDeclared } from './resources/departed-resources.ts'
import { DynamicDns } from './resources/dynamic-dns.ts'
import { handedOverField, refuseLosses } from './resources/kept-resources.ts'
import { ownTrigger } from './resources/own-state.ts'
import { loadSettings } from './settings/load.ts'
import {
  clockComponent,
  clockNameOf,
  pushComponent,
  pushNameOf,
  pushNames,
  serviceNameOf,
} from './stack-facts.ts'

const { settings, secretOf } = await loadSettings()
await refuseLosses(settings)
const field = await handedOverField()
const declared = watchDeclared()
const { record, signIn, push, clock } = settings
const serviceName = serviceNameOf(pulumi.getStack())
// Only a stack with the part loads its resources, and their providers.
const declareSignIn =
  signIn && (await (await import('./sign-in.ts')).prepareSignIn(signIn, serviceName, secretOf('sessionKeys')))
const endpoint = push && {
  ...(await import('./resources/push-endpoint.ts')),
  bundle: await readBundle('push-worker'),
  hadTrigger: (await ownTrigger(pushNames.trigger)) !== undefined,
}
const workflowClock = clock !== null && {
  ...(await import('./resources/workflow-clock.ts')),
  bundle: await readBundle('clock-worker'),
}
const baseUrl = new pulumi.Config('cloudflare').get('baseUrl')

async function readBundle(name: 'push-worker' | 'clock-worker') {
  const { readWorkerBundle } = await import('./resources/worker-bundle.ts')
  return readWorkerBundle(fileURLToPath(new URL('..', import.meta.url)), name)
}

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

const ticking =
  workflowClock &&
  new workflowClock.WorkflowClock(clockComponent, {
    accountId: settings.accountId ?? '',
    serviceName: clockNameOf(pulumi.getStack()),
    bundle: workflowClock.bundle,
    workflow: clock,
    token: secretOf('clockToken'),
    cron: await workflowClock.clockCron(),
  })

if (endpoint && tokens) {
  const name = pushNameOf(pulumi.getStack())
  const args = {
    ...tokens,
    settings: push,
    hosts: secretOf('pushHosts'),
    serviceName: name,
    bundle: endpoint.bundle,
    hadTrigger: endpoint.hadTrigger,
    tokenName: name,
    // A Worker has no address of its own.
    tokenLimits: { ...record.token, allowedCidrs: [] },
  }
  // An endpoint that was the clock, too, is it until the new one ticks.
  new endpoint.PushEndpoint(pushComponent, args, ticking ? { dependsOn: ticking } : {})
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
