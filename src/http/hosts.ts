/** The host whose sessions a reader accepts. Those without a host belong to the first. */
export interface SessionHost {
  readonly name: string
  readonly isFirst: boolean
}

/** A host that the handler serves, as one of its redirect URIs names it. Its name has no port: cookies know none. */
export interface Host extends SessionHost {
  /** The name with and without the port. Browsers leave out the scheme's own port, and nginx's `$host` every port. */
  readonly spellings: readonly string[]
  readonly origin: string
  readonly redirectUri: string
}

/** Whose host a route goes by: the request's own, the visitor's that a proxy names, or no host at all. */
export type HostSource = 'request' | 'proxy' | 'none'

/** Returns the hosts of the redirect URIs, in their order. */
export function hostsOf(redirectUris: readonly [string, ...string[]]): readonly [Host, ...Host[]] {
  const [first, ...others] = redirectUris
  function hostOf(redirectUri: string): Host {
    const { hostname: name, port, protocol, origin } = new URL(redirectUri)
    const withPort = `${name}:${port || (protocol === 'https:' ? '443' : '80')}`
    return { name, spellings: [name, withPort], origin, redirectUri, isFirst: redirectUri === first }
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
  return hostNamed(hosts, forwarded ?? stated)
}

/** Returns the host of a name, in any case, with or without its port; null if there is none. With one host, it is that one. */
export function hostNamed(hosts: readonly [Host, ...Host[]], name: string): Host | null {
  if (hosts.length === 1) return hosts[0]
  return hosts.find(({ spellings }) => spellings.includes(name.toLowerCase())) ?? null
}
