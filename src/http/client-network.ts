import type { Cidr } from '../../lib/ip-address.ts'
import { clientAddress, networkOf } from '../../lib/trusted-proxies.ts'

/**
 * Returns the network that a request comes from; null if it is unknown. So is that of a loopback peer without trusted
 * proxies: all clients of a local proxy would count as one.
 */
export function clientNetwork(
  peer: string | undefined,
  forwardedFor: string | null,
  trusted: readonly Cidr[],
): string | null {
  const address = clientAddress(peer, forwardedFor, trusted)
  if (address === null || (trusted.length === 0 && /^127\.|^::1$/.test(address))) return null
  return networkOf(address)
}
