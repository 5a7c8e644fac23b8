import { readId } from '../../settings/readers.ts'
import { cloudflareUrl } from '../../stack-facts.ts'
import { connectCloudflare } from '../clients/cloudflare.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import type { Local } from './local.ts'
import { checkNames } from './names.ts'
import type { Place } from './place.ts'
import { checkTokens, type Held } from './tokens.ts'

const { missing } = findingsOf('cloudflare')

/** Checks the tokens, the zone, the record and the hostname of the sign-in handler. */
export async function checkCloudflare(
  { stack, mintingToken }: Local,
  env: NodeJS.ProcessEnv,
  now = Date.now(),
): Promise<readonly StepFinding[]> {
  const settings = stack?.settings
  const apiUrl = stack?.apiUrl ?? (env['CLOUDFLARE_BASE_URL'] || cloudflareUrl)
  const place: Place = {
    as: token => connectCloudflare(apiUrl, token, 'CLOUDFLARE_BASE_URL'),
    zoneId: settings?.zoneId ?? idIn(env['CLOUDFLARE_ZONE_ID']),
    accountId: settings?.accountId ?? idIn(env['CLOUDFLARE_ACCOUNT_ID']),
  }
  const deploy = env['CLOUDFLARE_API_TOKEN'] ?? ''
  const held: readonly Held[] = [
    {
      name: 'minting token',
      end: 'mintingTokenExpiresOn',
      variable: 'CLOUDFLARE_MINTING_TOKEN',
      value: mintingToken ?? '',
    },
    { name: 'deploy token', end: 'deployTokenExpiresOn', variable: 'CLOUDFLARE_API_TOKEN', value: deploy },
    {
      name: 'reading token',
      end: 'readingTokenExpiresOn',
      variable: 'CLOUDFLARE_READING_TOKEN',
      value: env['CLOUDFLARE_READING_TOKEN'] ?? '',
    },
  ]
  return [
    ...(place.zoneId === null ? [noId('ZONE_ID')] : []),
    ...(place.accountId === null ? [noId('ACCOUNT_ID')] : []),
    ...(await checkTokens(place, held, stack, now)),
    ...(deploy === '' || place.zoneId === null
      ? []
      : await checkNames({ place, zoneId: place.zoneId, token: deploy, stack, env })),
  ]
}

/** Returns an ID that is safe in a path, or null. */
function idIn(text: string | undefined): string | null {
  const reading = readId(text ?? '', '')
  return 'value' in reading ? reading.value : null
}

const noId = (name: string): StepFinding =>
  missing(
    `CLOUDFLARE_${name} is not set to 32 hex digits, and no stack has it.`,
    `export CLOUDFLARE_${name}=${name}`,
  )
