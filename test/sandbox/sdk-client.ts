import Cloudflare from 'cloudflare'
import type { Running } from './running.ts'

/** Returns the official SDK for a sandbox, with the admin token by default. */
export function sdkClient({ at }: Running, apiToken = at.cloudflare.adminToken): Cloudflare {
  return new Cloudflare({ apiToken, baseURL: at.cloudflare.apiUrl })
}
