import { pushBindings } from '../../resources/push-bindings.ts'
import type { PushSettings, StackSettings } from '../../settings/stack-settings.ts'
import { pushNames, types } from '../../stack-facts.ts'
import { findIn, knownIn } from '../../stack-state.ts'
import type { Read } from '../clients/cloudflare.ts'
import type { Finding } from '../finding.ts'
import type { StackView } from '../stack.ts'
import { declaredBindings } from './bindings.ts'
import { recordDifferences, tokenDifferences } from './dns.ts'
import { unknownDatabases } from './leftovers.ts'
import { routeDifferences } from './routes.ts'
import { unknownDifferences } from './unknown.ts'
import { domainDifferences, servingDifferences, workerDifferences } from './worker.ts'

/**
 * Compares what Cloudflare has with the state and, for the parts of the stack, the configuration. A part that cannot be read
 * does not hide the others.
 */
export async function cloudflareDifferences(
  stack: StackView,
  { record, accountId, signIn, push }: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const { state, serviceName } = stack
  const worker = signIn?.worker ?? null
  const parts = await Promise.all([
    recordDifferences(state, read),
    tokenDifferences(state, read),
    ...(signIn && worker
      ? [
          workerDifferences(
            {
              serviceName,
              accountId: worker.accountId,
              script: findIn(state, types.script),
              bindings: declaredBindings(knownIn(state), signIn),
            },
            read,
          ),
          servingDifferences(state, worker.jurisdiction, read),
          routeDifferences('signIn', serviceName, worker, read),
          unknownDatabases(stack, worker, read),
        ]
      : []),
    ...(push ? [pushDifferences(stack, push, read)] : []),
    ...(record ? [unknownDifferences(stack, record, { accountId, hasPush: push !== null }, read)] : []),
  ])
  return parts.flat()
}

/** Compares the push endpoint's Worker and its host. Its token is compared with the others. */
async function pushDifferences(
  { push: { serviceName }, state, cloudflareBaseUrl }: StackView,
  settings: PushSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const { accountId, zoneId, clock } = settings
  const domain = findIn(state, types.domain, pushNames.domain)
  const values = {
    apiToken: null,
    hosts: null,
    clock: clock === null ? null : { workflow: clock, token: null },
  }
  const parts = await Promise.all([
    workerDifferences(
      {
        serviceName,
        accountId,
        script: findIn(state, types.script, pushNames.script),
        bindings: pushBindings<string | null>(zoneId, cloudflareBaseUrl, values),
      },
      read,
    ),
    domain ? domainDifferences(domain, read) : [],
    routeDifferences('push', serviceName, settings, read),
  ])
  return parts.flat()
}
