import { createNetworkLimit, type PlatformLimit } from '../lib/network-limit.ts'
import { networkOf } from '../lib/trusted-proxies.ts'

/** The first wrong password of one network in a minute that is not answered with 401. */
const limitedWrong = 21

/**
 * Counts a wrong password by network. Returns how many seconds the network must wait; 0 while it is below the limit. A
 * right password, which can come from the same address, is never delayed.
 */
export type Limiter = (address: string | null) => Promise<number>

/** @param now milliseconds of a clock that is never set back */
export function createLimiter(now: () => number, platform?: Partial<PlatformLimit>): Limiter {
  const limit = createNetworkLimit(limitedWrong, now, platform)
  return async address => {
    const network = address === null ? 'unknown' : networkOf(address)
    await limit.count(network)
    return limit.waitSeconds(network)
  }
}
