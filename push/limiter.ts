import { networkOf } from '../lib/trusted-proxies.ts'

/** Most wrong passwords of one network in a period, before no more are answered with 401. */
const maxWrong = 20
const periodMs = 60_000
/** With more of them, a new period begins. */
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
  const wrong = new Map<string, number>()
  let endMs = Number.NEGATIVE_INFINITY
  return async address => {
    if (now() >= endMs || wrong.size >= maxNetworks) {
      wrong.clear()
      endMs = now() + periodMs
    }
    const network = address === null ? 'unknown' : networkOf(address)
    const count = (wrong.get(network) ?? 0) + 1
    wrong.set(network, count)
    // A limit that does not answer must not fail a request.
    const ask = async () => platform?.limit?.({ key: network })
    const shared = await ask().catch(() => null)
    return count > maxWrong || shared?.success === false ? Math.max(1, Math.ceil((endMs - now()) / 1000)) : 0
  }
}
