import { cloudflareApiUrl } from '../../lib/cloudflare.ts'
import { isLoopback, isSecure, parseUrl } from '../../lib/url.ts'

/** Keys that set where a provider or one of our commands sends credentials, each with its public URL and the variable for another. */
const hosts: Readonly<Record<string, { readonly own: string | null; readonly variable: string }>> = {
  'cloudflare:baseUrl': { own: cloudflareApiUrl, variable: 'CLOUDFLARE_BASE_URL' },
  'github:baseUrl': { own: 'https://api.github.com', variable: 'GITHUB_BASE_URL' },
  'azuread:metadataHost': { own: null, variable: 'ARM_METADATA_HOSTNAME' },
  'azuread:msiEndpoint': { own: null, variable: 'ARM_MSI_ENDPOINT' },
  'azuread:oidcRequestUrl': { own: null, variable: 'ARM_OIDC_REQUEST_URL' },
}

/**
 * Finds keys that send the credentials of a deployment to another host. A change of the stack file alone must not do that, so only
 * the environment of a run can.
 */
export function hostProblems(config: ReadonlyMap<string, string>): readonly string[] {
  return Object.entries(hosts).flatMap(([key, { own, variable }]) => {
    const text = config.get(key)?.trim() ?? ''
    const url = parseUrl(text.includes('://') ? text : `https://${text}`)
    const isOwn = text === '' || text.replace(/\/$/, '') === own
    if (isOwn || (url && isSecure(url) && isLoopback(url.hostname))) return []
    return [
      `${key} leads to another host, which would get the credentials of the deployment. Remove it: pulumi config rm ${key}. If the host is yours, set ${variable} for the run instead.`,
    ]
  })
}
