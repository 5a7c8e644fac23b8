import { readId } from '../../settings/readers.ts'
import { cloudflareUrl } from '../../stack-facts.ts'
import { connectCloudflare } from '../clients/cloudflare.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import { checkNames } from './names.ts'
import type { Local } from './stack.ts'
import { checkTokens, type Place } from './tokens.ts'

/** Checks the tokens, the zone and the records. */
export async function checkCloudflare(local: Local, env: NodeJS.ProcessEnv): Promise<readonly StepFinding[]> {
  const { stack, parts } = local
  const { missing } = findingsOf('cloudflare')
  const settings = stack?.settings
  const hasHost = parts.signIn === 'worker' || parts.push === 'worker'
  const hasWorker = hasHost || Boolean(settings?.clock)
  if (!parts.record && !hasWorker) return []
  const apiUrl = stack?.apiUrl ?? (env['CLOUDFLARE_BASE_URL'] || cloudflareUrl)
  const place: Place = {
    as: token => connectCloudflare(apiUrl, token, 'CLOUDFLARE_BASE_URL'),
    zoneId: settings?.zoneId ?? idIn(env['CLOUDFLARE_ZONE_ID']),
    accountId: settings?.accountId ?? idIn(env['CLOUDFLARE_ACCOUNT_ID']),
    areas: [
      'DNS',
      ...(hasHost ? (['Workers Routes'] as const) : []),
      ...(hasWorker ? (['Workers Scripts'] as const) : []),
      ...(parts.signIn === 'worker' ? (['D1'] as const) : []),
    ],
  }
  const noId = (name: string) =>
    missing(
      `CLOUDFLARE_${name} is not set to 32 hex digits, and no stack has it.`,
      `export CLOUDFLARE_${name}=${name}`,
    )
  const deploy = env['CLOUDFLARE_API_TOKEN'] ?? ''
  return [
    ...(place.zoneId === null ? [noId('ZONE_ID')] : []),
    ...(place.accountId === null && hasWorker ? [noId('ACCOUNT_ID')] : []),
    // A wrong zone would look like missing permissions.
    ...(deploy === '' || place.zoneId === null || !parts.record
      ? []
      : await checkNames({ place, zoneId: place.zoneId, token: deploy, stack, env })),
    ...(await checkTokens(place, local, env)),
  ]
}

/** Returns an ID that is safe in a path, or null. */
function idIn(text: string | undefined): string | null {
  const reading = readId(text ?? '', '')
  return 'value' in reading ? reading.value : null
}
