import type { FullReading } from '../../lib/reading.ts'
import { isGuid, refuse } from '../../lib/settings/readers.ts'
import { isLoopback } from '../../lib/url.ts'
import { readServiceUrl } from './service-url.ts'

/** Sign-in and Graph addresses of one cloud. */
interface Cloud {
  readonly instances: readonly string[]
  /** The default comes first. */
  readonly graphs: readonly string[]
}

/** Clouds as Microsoft lists them under "National clouds": global, US Government, China operated by 21Vianet. */
const clouds: readonly Cloud[] = [
  { instances: ['https://login.microsoftonline.com'], graphs: ['https://graph.microsoft.com'] },
  {
    instances: ['https://login.microsoftonline.us'],
    graphs: ['https://graph.microsoft.us', 'https://dod-graph.microsoft.us'],
  },
  {
    instances: ['https://login.partner.microsoftonline.cn', 'https://login.chinacloudapi.cn'],
    graphs: ['https://microsoftgraph.chinacloudapi.cn'],
  },
]

/** Returns the cloud that has an origin as its sign-in or Graph address; undefined if Microsoft does not list it. */
export function cloudOf(origin: string): object | undefined {
  return clouds.find(({ instances, graphs }) => [...instances, ...graphs].includes(origin))
}

/**
 * Returns whether an issuer is the tenant's, at any sign-in address of its cloud. An issuer has the tenant's ID in lower case, which a
 * domain does not tell.
 */
export function isIssuerOf(
  { instance, tenantId }: { readonly instance: string; readonly tenantId: string },
  issuer: URL | null,
): boolean {
  const cloud = issuer ? cloudOf(issuer.origin) : undefined
  const isHere = issuer?.origin === instance || (cloud !== undefined && cloud === cloudOf(instance))
  return isHere && (!isGuid(tenantId) || issuer?.pathname.startsWith(`/${tenantId.toLowerCase()}/`) === true)
}

/** Returns whether Microsoft lists an origin as a sign-in or Graph address of one of its clouds, or it is of this machine. */
export function isListedOrigin(origin: string): boolean {
  return isLoopback(new URL(origin).hostname) || cloudOf(origin) !== undefined
}

/**
 * Reads the Graph URL that goes with a sign-in address. Blank means the default of that address's cloud. An address of
 * another cloud is refused, since Graph rejects the tokens of other clouds.
 * @param instance origin of the sign-in address; null if that address was refused, so that Graph's cannot be checked
 */
export function readGraphUrl(text: string, instance: string | null): FullReading<string> {
  const login = clouds.find(({ instances }) => instances.some(origin => origin === instance))
  if (text === '' && instance !== null) {
    const [standard] = login?.graphs ?? []
    return standard === undefined
      ? refuse('is missing, and the sign-in address has no known Graph address. Set it to that cloud’s.')
      : { value: standard }
  }
  const reading = text === '' ? { value: '' } : readServiceUrl(text)
  if (instance === null || 'problems' in reading) return reading
  const graph = clouds.find(({ graphs }) => graphs.includes(reading.value))
  if (login === graph) return reading
  const fix = login ? login.graphs.join(' or ') : 'that cloud’s'
  return refuse(`is in another cloud, so it rejects tokens from the sign-in address. Use ${fix}.`)
}
