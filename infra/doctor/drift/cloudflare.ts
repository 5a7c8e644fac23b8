import { clockBindings, pushBindings } from '../../resources/push-bindings.ts'
import type { StackSettings } from '../../settings/stack-settings.ts'
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
  settings: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const { record, accountId, signIn, push, clock } = settings
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
    ...(push || clock ? [pushDifferences(stack, settings, read)] : []),
    ...(record ? [unknownDifferences(stack, record, { accountId, hasPush: push !== null }, read)] : []),
  ])
  return parts.flat()
}

/** Compares the Worker of the push endpoint or of the clock, and its host. Its token is compared with the others. */
async function pushDifferences(
  { push: { serviceName }, state, cloudflareBaseUrl }: StackView,
  { accountId, push, clock: workflow }: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const domain = findIn(state, types.domain, pushNames.domain)
  const clock = workflow === null ? null : { workflow, token: null }
  const values = { apiToken: null, hosts: null, clock }
  const alone = clock === null ? [] : clockBindings<string | null>(clock)
  const parts = await Promise.all([
    workerDifferences(
      {
        serviceName,
        accountId: accountId ?? '',
        script: findIn(state, types.script, pushNames.script),
        bindings: push ? pushBindings<string | null>(push.zoneId, cloudflareBaseUrl, values) : alone,
      },
      read,
    ),
    domain ? domainDifferences(domain, read) : [],
    push ? routeDifferences('push', serviceName, push, read) : [],
  ])
  return parts.flat()
}
