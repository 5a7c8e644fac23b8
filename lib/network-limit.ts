import { getOrCreate } from './get-or-create.ts'

/** How long a failure counts, in milliseconds. */
export const limitPeriodMs = 60_000

/** Maximum networks to remember. Another one replaces the one that failed first. */
const maxNetworks = 10_000

/** A Worker's rate-limit binding, which all instances share. */
export interface PlatformLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** Limits the networks that fail too often. Only failures count: many people can share an address. */
export type NetworkLimit = ReturnType<typeof createNetworkLimit>

/**
 * Counts in this instance's memory and in the platform's limit, if there is one. Asking the platform also counts, so its
 * refusal is remembered for a period.
 * @param max failures in a period after which a network waits until the period ends
 * @param now milliseconds of a clock that is never set back
 * @param periodMs how long a failure counts
 */
export function createNetworkLimit(
  max: number,
  now: () => number,
  platform: Partial<PlatformLimit> | null = null,
  periodMs = limitPeriodMs,
) {
  const networks = new Map<string, { failures: number; readonly until: number }>()

  function entryOf(network: string) {
    const time = now()
    for (const [name, { until }] of networks) {
      if (until > time && networks.size < maxNetworks) break
      networks.delete(name)
    }
    return getOrCreate(networks, network, () => ({ failures: 0, until: time + periodMs }))
  }

  return {
    /** Returns how many seconds a network must wait; 0 below the limit. An unknown network never waits. */
    waitSeconds(network: string | null): number {
      const entry = network === null ? undefined : networks.get(network)
      if (!entry || entry.failures < max) return 0
      return Math.max(0, Math.ceil((entry.until - now()) / 1000))
    },
    /** Counts a failure. */
    async count(network: string | null): Promise<void> {
      if (network === null) return
      entryOf(network).failures += 1
      // A limit that does not answer must not fail a request.
      const ask = async () => platform?.limit?.({ key: network })
      const outcome = await ask().catch(() => null)
      if (outcome?.success === false) entryOf(network).failures = max
    },
  }
}
