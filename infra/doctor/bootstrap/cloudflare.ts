import { textOf } from '../../json.ts'
import { readId } from '../../settings/readers.ts'
import { cloudflareUrl, types } from '../../stack-facts.ts'
import { findIn } from '../../stack-state.ts'
import { connectCloudflare, type Read, resultOf } from '../clients/cloudflare.ts'
import { findingsOf, type StepFinding } from '../finding.ts'
import { jurisdictionDifferences } from '../jurisdiction.ts'
import type { Local } from './local.ts'
import { checkNames } from './names.ts'
import type { Place } from './place.ts'
import { checkTokens, type Held } from './tokens.ts'

const { missing } = findingsOf('cloudflare')

/** Checks the tokens, the zone, the records, the host of each Worker, and the database. */
export async function checkCloudflare(
  { stack, mintingToken, parts }: Local,
  env: NodeJS.ProcessEnv,
  now = Date.now(),
): Promise<readonly StepFinding[]> {
  const hasDatabase = parts.signIn === 'worker'
  const hasHost = hasDatabase || parts.push === 'worker'
  const settings = stack?.settings
  const hasWorker = hasHost || Boolean(settings?.clock)
  if (!parts.record && !hasWorker) return []
  const apiUrl = stack?.apiUrl ?? (env['CLOUDFLARE_BASE_URL'] || cloudflareUrl)
  const place: Place = {
    as: token => connectCloudflare(apiUrl, token, 'CLOUDFLARE_BASE_URL'),
    zoneId: settings?.zoneId ?? idIn(env['CLOUDFLARE_ZONE_ID']),
    accountId: settings?.accountId ?? idIn(env['CLOUDFLARE_ACCOUNT_ID']),
    hasWorker,
    hasHost,
    hasDatabase,
  }
  const deploy = env['CLOUDFLARE_API_TOKEN'] ?? ''
  const minting: Held = {
    name: 'minting token',
    variable: 'CLOUDFLARE_MINTING_TOKEN',
    value: mintingToken ?? '',
  }
  const held: readonly Held[] = [
    ...(parts.record ? [minting] : []),
    { name: 'deploy token', variable: 'CLOUDFLARE_API_TOKEN', value: deploy },
    {
      name: 'reading token',
      variable: 'CLOUDFLARE_READING_TOKEN',
      value: env['CLOUDFLARE_READING_TOKEN'] ?? '',
    },
  ]
  return [
    ...(place.zoneId === null ? [noId('ZONE_ID')] : []),
    ...(place.accountId === null && hasWorker ? [noId('ACCOUNT_ID')] : []),
    // Only the nightly comparison uses it, which a record alone can do without.
    ...(await checkTokens(
      place,
      held,
      { stack, isReadingOptional: stack !== null || parts.signIn === 'none' },
      now,
    )),
    ...(deploy === '' || place.zoneId === null
      ? []
      : await checkNames({ place, zoneId: place.zoneId, token: deploy, stack, env, parts })),
    ...(deploy === '' || !hasDatabase ? [] : await checkDatabase(place.as(deploy), stack)),
  ]
}

/** Checks where the database keeps its data: before the first run that can be chosen, later only moved. */
async function checkDatabase(read: Read, stack: Local['stack']): Promise<readonly StepFinding[]> {
  const worker = stack?.settings?.signIn?.worker
  if (!stack || !worker) return []
  const { ok, note } = findingsOf('stack')
  const declared = worker.jurisdiction
  const database = findIn(stack.state, types.database)
  if (database === null) {
    return [
      declared === null
        ? note(
            'databaseJurisdiction is not set, so Cloudflare chooses where the employees are kept. That cannot be changed after the first pulumi up.',
          )
        : ok(`The database will be in the jurisdiction ${declared}.`),
    ]
  }
  const answer = await read(
    `/accounts/${worker.accountId}/d1/database/${encodeURIComponent(String(database.id))}`,
  )
  const found = resultOf(answer)
  // A token that may not read databases has been reported.
  if (found === null) return []
  return jurisdictionDifferences(String(database.id), textOf(found, 'jurisdiction'), declared).map(
    finding => ({ ...finding, step: 'stack' }) as const,
  )
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
