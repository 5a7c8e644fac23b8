import type { StackSettings } from '../../settings/stack-settings.ts'
import type { Read } from '../clients/cloudflare.ts'
import type { Finding } from '../finding.ts'
import type { StackView } from '../stack.ts'
import { recordDifferences, tokenDifferences } from './dns.ts'
import { unknownDatabases } from './leftovers.ts'
import { routeDifferences } from './routes.ts'
import { unknownDifferences } from './unknown.ts'
import { servingDifferences, workerDifferences } from './worker.ts'

/** Compares what Cloudflare has with the state and the configuration. A part that cannot be read does not hide the others. */
export async function cloudflareDifferences(
  stack: StackView,
  settings: StackSettings,
  read: Read,
): Promise<readonly Finding[]> {
  const { state } = stack
  const parts = await Promise.all([
    recordDifferences(state, read),
    tokenDifferences(state, read),
    workerDifferences(stack, settings, read),
    servingDifferences(state, read),
    unknownDifferences(stack, settings, read),
    routeDifferences(stack.serviceName, settings, read),
    unknownDatabases(stack, settings, read),
  ])
  return parts.flat()
}
