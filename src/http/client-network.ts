import { type Address, type AddressRange, isInRange, parseAddress } from '../settings/addresses.ts'

/** Maximum entries of X-Forwarded-For to read, from the right. No real chain of proxies is longer. */
const maxHops = 20

const loopback: readonly AddressRange[] = [
  { first: [127, 0, 0, 0], prefix: 8 },
  { first: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], prefix: 128 },
]

/**
 * Returns the network that a request comes from: the peer's or, behind trusted proxies, that of the rightmost untrusted
 * address in X-Forwarded-For, since a client can write everything to its left. Returns null if it is unknown. So is that
 * of a loopback peer without trusted proxies: all clients of a local proxy would count as one.
 */
export function clientNetwork(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string | null {
  const isTrusted = (address: Address) => trusted.some(range => isInRange(address, range))
  const near = parseAddress(peer ?? '')
  if (!near) return null
  if (!isTrusted(near)) {
    const isLocal = loopback.some(range => isInRange(near, range))
    return isLocal && trusted.length === 0 ? null : networkOf(near)
  }
  const hops = (forwardedFor ?? '').split(',').slice(-maxHops).reverse().map(parseHop)
  const unknown = hops.indexOf(null)
  const known = hops.slice(0, unknown < 0 ? hops.length : unknown).filter(address => address !== null)
  const client = known.find(address => !isTrusted(address)) ?? (unknown < 0 ? known.at(-1) : undefined)
  return client ? networkOf(client) : null
}

/** Whether a request comes straight from a trusted proxy. */
export function isTrustedPeer(peer: string | undefined, trusted: readonly AddressRange[]): boolean {
  const address = parseAddress(peer ?? '')
  return address !== null && trusted.some(range => isInRange(address, range))
}

/** Some proxies add a port to an address. */
function parseHop(text: string): Address | null {
  const [, bracketed, bare] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]+)(?::\d+)?)$/.exec(text.trim()) ?? []
  return parseAddress(bracketed ?? bare ?? text.trim())
}

/** Returns an IPv4 address itself, or the /64 of an IPv6 address: no subscriber has a smaller network. */
function networkOf(address: Address): string {
  if (address.length === 4) return address.join('.')
  const hex = address.slice(0, 8).map(byte => byte.toString(16).padStart(2, '0'))
  return `${hex.join('')}/64`
}
