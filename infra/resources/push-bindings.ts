import { apiPath, cloudflareApiUrl } from '../../lib/cloudflare.ts'
import type { Binding, RateLimit } from './worker-bindings.ts'

/** Wrong passwords of one network: 30 a minute at each location of Cloudflare, as docs/push/wrangler.toml has it. */
const wrongPasswords: RateLimit = {
  name: 'WRONG_PASSWORDS',
  type: 'ratelimit',
  namespaceId: '7301',
  simple: { limit: 30, period: 60 },
}

/**
 * Returns everything that is bound to the push endpoint, sorted by name. Its other settings keep their defaults, which match
 * what the program declares for the records.
 * @param apiUrl base URL of Cloudflare's API that the stack uses; the endpoint is told only another one than the public one
 */
export function pushBindings<Value>(
  zoneId: string,
  apiUrl: string,
  { apiToken, hosts }: { readonly apiToken: Value; readonly hosts: Value },
): readonly Binding<Value | string>[] {
  const baseUrl = apiUrl.replace(/\/+$/, '')
  return [
    { name: 'API_TOKEN', type: 'secret_text', text: apiToken },
    ...(baseUrl !== cloudflareApiUrl && baseUrl.endsWith(apiPath)
      ? [{ name: 'BASE_URL', type: 'plain_text', text: baseUrl.slice(0, -apiPath.length) } as const]
      : []),
    { name: 'HOSTS', type: 'secret_text', text: hosts },
    wrongPasswords,
    { name: 'ZONE_ID', type: 'plain_text', text: zoneId },
  ]
}
