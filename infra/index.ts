import { fileURLToPath } from 'node:url'
import * as pulumi from '@pulumi/pulumi'
import {
  clockComponent,
  clockNameOf,
  pushComponent,
  pushNameOf,
  pushNames,
  serviceNameOf,
} from './resource-names.ts'
import { forgetGone, watchDeclared } from './resources/departed-resources.ts'
import { createMinting } from './resources/dns-token.ts'
import { DynamicDns } from './resources/dynamic-dns.ts'
import { Repository } from './resources/hand-over.ts'
import { handedOverField } from './resources/handed-over-field.ts'
import { handlerSettingsOf } from './resources/handler-settings.ts'
import { refuseLosses } from './resources/losses.ts'
import { readOwnState, triggerIn } from './resources/own-state.ts'
import { PushEndpoint } from './resources/push-endpoint.ts'
import { readDeployer, SignInApp } from './resources/sign-in-app.ts'
import { SignInHandler } from './resources/sign-in-handler.ts'
import { readWorkerBundle } from './resources/worker-bundle.ts'
import { clockCron, WorkflowClock } from './resources/workflow-clock.ts'
import { loadSettings } from './settings/load.ts'

const { settings, secretOf } = loadSettings()
const { accountId, zoneId, record, signIn, push, clock } = settings
const root = fileURLToPath(new URL('..', import.meta.url))
const stack = pulumi.getStack()
const serviceName = serviceNameOf(stack)

// What can refuse the run comes before the first resource.
const lastRun = await readOwnState()
await refuseLosses(settings, lastRun)
const state = 'value' in lastRun ? lastRun.value : []
const handlerBundle = signIn?.worker && readWorkerBundle(root, 'worker')
const endpointArgs = push && {
  bundle: readWorkerBundle(root, 'push-worker'),
  hadTrigger: triggerIn(state, pushNames.trigger) !== undefined,
}
const clockArgs = clock && { bundle: readWorkerBundle(root, 'clock-worker'), cron: await clockCron(state) }
const deployer = signIn && (await readDeployer(signIn))
const secretField = handedOverField(state)
const declared = watchDeclared()

/** What both tokens have in common. */
const tokenArgs = record && {
  zoneId,
  tokenAccountId: record.token.owner === 'account' ? accountId : null,
  tokenRotation: record.token.rotation,
  minting: createMinting('minting', secretOf('mintingApiToken')),
}

const dns =
  tokenArgs &&
  new DynamicDns('dns', {
    ...tokenArgs,
    records: record.plans,
    tokenName: serviceName,
    tokenLimits: record.token,
  })

// A preview goes on once all records are accepted: a refusal would show an error for each resource that it interrupts.
if (dns && pulumi.runtime.isDryRun()) await dns.whenDeclared()

const app = deployer && new SignInApp('sign-in', { settings: signIn, owners: deployer.owners })

const [certificate, nextCertificate] = signIn?.certificates.map(({ key }) => secretOf(key)) ?? []

const handlerValues = app && {
  tenantId: deployer.tenantId,
  clientId: app.clientId,
  clientSecrets: app.clientSecrets,
  sessionKeys: secretOf('sessionKeys'),
  clientCertificate: certificate,
  clientCertificateNext: nextCertificate,
}

const handler =
  handlerValues &&
  handlerBundle &&
  new SignInHandler(
    'handler',
    {
      accountId,
      zoneId,
      settings: signIn,
      host: signIn.worker.host,
      serviceName,
      bundle: handlerBundle,
      values: handlerValues,
    },
    // A certificate is registered before the handler uses it.
    certificate ? { dependsOn: app } : {},
  )

// If a record was refused, endpoint and workflow must not get its hostname: they would change one that the stack does not have.
if (dns && (push || record.handOver)) await dns.whenDeclared()

const clockWorker =
  clockArgs &&
  new WorkflowClock(clockComponent, {
    ...clockArgs,
    accountId,
    serviceName: clockNameOf(stack),
    workflow: clock,
    token: secretOf('clockToken'),
  })

if (endpointArgs && tokenArgs)
  new PushEndpoint(
    pushComponent,
    {
      ...tokenArgs,
      ...endpointArgs,
      accountId,
      host: push.host,
      hosts: secretOf('pushHosts'),
      serviceName: pushNameOf(stack),
      tokenName: pushNameOf(stack),
      // A Worker has no fixed address that could limit its token.
      tokenLimits: { ...record.token, allowedCidrs: [] },
    },
    // An endpoint that was also the clock remains it until the new one runs.
    clockWorker ? { dependsOn: clockWorker } : {},
  )

if (dns && record.handOver)
  new Repository('repository', {
    target: record.handOver,
    zoneId,
    record,
    token: dns.token,
    field: secretField,
  })

await forgetGone(declared, state)

const outputs = {
  accountId,
  zoneId,
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
  clientId: app?.clientId,
  tenantId: deployer?.tenantId,
  /** Of the first origin. */
  handlerUrl: signIn && signIn.publicOrigin[0].origin + (signIn.handler.BASE_PATH ?? ''),
  /** Where routers send their address. */
  pushUrl: push?.origin,
  databaseId: handler?.databaseId,
  /** Secret, JSON: the handler's settings by name. `npm run after-up -- --settings` writes them to files. */
  handlerSettings:
    handlerValues && !signIn.worker
      ? pulumi.secret(
          pulumi.output(handlerValues).apply(known => JSON.stringify(handlerSettingsOf(signIn, known))),
        )
      : null,
  /** When the first of the two client secrets expires. Rotate it before then. */
  clientSecretExpiresOn: signIn?.clientSecrets.map(({ endsOn }) => endsOn).toSorted()[0],
}

/** Only what the parts have: the SDK warns of an output without a value. */
export default Object.fromEntries(
  Object.entries(outputs).filter(([, value]) => value != null && value !== ''),
)
