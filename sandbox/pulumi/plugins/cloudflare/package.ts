import { type Properties, text } from '../../properties.ts'
import type { Package } from '../resource.ts'
import { type Cloudflare, cloudflareClient } from './client.ts'
import { workersCronTrigger } from './cron-trigger.ts'
import { d1Database } from './database.ts'
import { workersCustomDomain } from './domain.ts'
import { dnsRecord } from './record.ts'
import { workersScript } from './script.ts'
import { accountPermissionGroups, accountToken, apiToken, userPermissionGroups } from './token.ts'

/** The format that the provider requires of a configured token. It does not check one from the environment. */
const tokenRule = /^[0-9A-Za-z_-]{40,80}$/

const badToken = (config: Properties): boolean =>
  config['apiToken'] !== undefined && !tokenRule.test(text(config['apiToken']))

/** The part of `cloudflare` that the program uses. */
export const cloudflare: Package<Cloudflare> = {
  name: 'cloudflare',
  check: config =>
    badToken(config)
      ? [{ property: 'apiToken', reason: 'An API token must be 40 to 80 letters, digits, - and _.' }]
      : [],
  connect: (config, environment) =>
    cloudflareClient(
      text(config['baseUrl']) || environment['CLOUDFLARE_BASE_URL'],
      text(config['apiToken']) || environment['CLOUDFLARE_API_TOKEN'],
    ),
  resources: {
    'cloudflare:index/dnsRecord:DnsRecord': dnsRecord,
    'cloudflare:index/apiToken:ApiToken': apiToken,
    'cloudflare:index/accountToken:AccountToken': accountToken,
    'cloudflare:index/workersScript:WorkersScript': workersScript,
    'cloudflare:index/workersCustomDomain:WorkersCustomDomain': workersCustomDomain,
    'cloudflare:index/workersCronTrigger:WorkersCronTrigger': workersCronTrigger,
    'cloudflare:index/d1Database:D1Database': d1Database,
  },
  lookups: {
    'cloudflare:index/getAccountApiTokenPermissionGroupsList:getAccountApiTokenPermissionGroupsList':
      accountPermissionGroups,
    'cloudflare:index/getApiTokenPermissionGroupsList:getApiTokenPermissionGroupsList': userPermissionGroups,
  },
}
