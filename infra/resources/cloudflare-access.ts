import { runtime } from '@pulumi/pulumi'
import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import type { CloudflareAccess } from '../http.ts'

/** Returns what the default provider uses: the stack's configuration, or else the environment. */
export function defaultAccess(): CloudflareAccess {
  const { CLOUDFLARE_BASE_URL: baseUrl, CLOUDFLARE_API_TOKEN: apiToken } = process.env
  return {
    baseUrl: runtime.getConfig('cloudflare:baseUrl') ?? (baseUrl || cloudflareApiUrl),
    apiToken: runtime.getConfig('cloudflare:apiToken') ?? (apiToken || null),
  }
}
