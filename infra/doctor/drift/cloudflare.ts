import type { StackSettings } from '../../settings/stack-settings.ts'
import type { Read } from '../clients/cloudflare.ts'
import type { Finding } from '../finding.ts'
import type { StackView } from '../stack.ts'
import { recordDifferences, tokenDifferences } from './dns.ts'
import { unknownDatabases } from './leftovers.ts'
import { routeDifferences } from './routes.ts'
import { unknownDifferences } from './unknown.ts'
import { servingDifferences, workerDifferences } from './worker.ts'

/**
 * Compares what Cloudflare has with the state and, for the parts of the stack, the configuration. A part that cannot be read
 * does not hide the others.
 */
export async function cloudflareDifferences(
  stack: StackView,
  { record, accountId, signIn }: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const { state } = stack
  const worker = signIn?.worker ?? null
  const parts = await Promise.all([
    recordDifferences(state, read),
    tokenDifferences(state, read),
    ...(signIn && worker
      ? [
          workerDifferences(stack, signIn, worker, read),
          servingDifferences(state, worker.jurisdiction, read),
          routeDifferences(stack.serviceName, worker, read),
          unknownDatabases(stack, worker, read),
        ]
      : []),
    ...(record ? [unknownDifferences(stack, record, accountId, read)] : []),
  ])
  return parts.flat()
}
