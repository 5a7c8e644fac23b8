/** The host whose sessions a reader accepts. Those without a host belong to the first. */
export interface SessionHost {
  readonly name: string
  readonly isFirst: boolean
}

/** A host that the handler serves, as one of its redirect URIs names it. */
export interface Host {
  /** The host, and the port if it is not the scheme's own, as browsers send it: `people.example.com:8443`. */
  readonly name: string
  readonly origin: string
  readonly redirectUri: string
  /** Whose sessions count here; null for all, since one host looks at none. */
  readonly sessionHost: SessionHost | null
}

/** Whose host a route goes by: the request's own, the visitor's that a proxy names, or no host at all. */
export type HostSource = 'request' | 'proxy' | 'none'

/** Returns the hosts of the redirect URIs, in their order. */
export function hostsOf(redirectUris: readonly [string, ...string[]]): readonly [Host, ...Host[]] {
  const [first, ...others] = redirectUris
  function hostOf(redirectUri: string): Host {
    const { host: name, origin } = new URL(redirectUri)
    const sessionHost = others.length === 0 ? null : { name, isFirst: redirectUri === first }
    return { name, origin, redirectUri, sessionHost }
  }
  return [hostOf(first), ...others.map(hostOf)]
}

/**
 * Returns the host that a request is for; null for a host that the handler does not serve. With one host, the request's
 * is not looked at. A forwarded host counts only from a trusted proxy.
 */
export function findHost(
  hosts: readonly [Host, ...Host[]],
  source: HostSource,
  { headers, url }: Request,
  isProxyTrusted: () => boolean = () => false,
): Host | null {
  if (hosts.length === 1 || source === 'none') return hosts[0]
  const forwarded = source === 'proxy' && isProxyTrusted() ? headers.get('x-forwarded-host') : null
  const stated = headers.get('host') ?? ''
  // A target with a host of its own overrides the header (RFC 9112 §3.2.2). Neither is believed if they differ.
  if (URL.parse(`http://${stated}`)?.host !== new URL(url).host) return null
  const name = (forwarded ?? stated).toLowerCase()
  return hosts.find(host => host.name === name) ?? null
}
