import { ipv6Network } from '../action/address/ipv6.ts'

/** Most wrong passwords of one network in a period, before no more are answered with 401. */
const maxWrong = 20
const periodMs = 60_000
/** Another network replaces the one that was counted first. */
const maxNetworks = 10_000

/** The rate limit that a Worker can have bound, which all its instances share. */
export interface PlatformLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/**
 * Counts a wrong password by network. Returns how many seconds the network must wait; 0 while it is below the limit. A
 * right password, which can come from the same address, is never delayed.
 */
export type Limiter = (address: string | null) => Promise<number>

/** @param now milliseconds of a clock that is never set back */
export function createLimiter(now: () => number, platform?: Partial<PlatformLimit>): Limiter {
  const networks = new Map<string, { wrong: number; readonly untilMs: number }>()
  return async address => {
    // No subscriber has a smaller IPv6 network.
    const network = address?.includes(':') ? ipv6Network(address, 64) : String(address)
    for (const [name, { untilMs }] of networks) {
      if (untilMs > now() && networks.size < maxNetworks) break
      networks.delete(name)
    }
    const entry = networks.get(network) ?? { wrong: 0, untilMs: now() + periodMs }
    networks.set(network, entry)
    entry.wrong++
    // A limit that does not answer must not fail a request.
    const ask = async () => platform?.limit?.({ key: network })
    const shared = await ask().catch(() => null)
    const isLimited = entry.wrong > maxWrong || shared?.success === false
    return isLimited ? Math.max(1, Math.ceil((entry.untilMs - now()) / 1000)) : 0
  }
}
