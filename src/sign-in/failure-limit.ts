/** Maximum rejected codes of one network in a period. */
export const maxFailures = 30
export const periodMs = 60_000

/** Maximum networks to remember. Another one replaces the one that failed first. */
const maxNetworks = 10_000

/** A Worker's rate-limit binding, which all instances share. */
export interface PlatformLimit {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/**
 * Limits the callbacks of a network whose codes the provider keeps rejecting, so that junk codes do not use up the
 * application's quota there. Nothing else counts: many people can share an address, and other failures are not theirs.
 */
export interface FailureLimit {
  /** Returns how many seconds a network must wait. An unknown network never waits. */
  waitSeconds(network: string | null): number
  /** Counts a rejected code. */
  count(network: string | null): Promise<void>
}

/**
 * Counts in this instance's memory and in the platform's limit, if there is one. Asking the
 * platform also counts, so its refusal is remembered for a period.
 * @param now milliseconds of a clock that is never set back
 */
export function createFailureLimit(now: () => number, platform: PlatformLimit | null): FailureLimit {
  const networks = new Map<string, { failures: number; readonly until: number }>()

  function entryOf(network: string) {
    const time = now()
    for (const [name, { until }] of networks) {
      if (until > time && networks.size < maxNetworks) break
      networks.delete(name)
    }
    const entry = networks.get(network) ?? { failures: 0, until: time + periodMs }
    networks.set(network, entry)
    return entry
  }

  return {
    waitSeconds(network) {
      const entry = network === null ? undefined : networks.get(network)
      if (!entry || entry.failures < maxFailures) return 0
      return Math.max(0, Math.ceil((entry.until - now()) / 1000))
    },
    async count(network) {
      if (network === null) return
      entryOf(network).failures += 1
      // A limit that does not answer must not fail a request.
      const outcome = await platform?.limit({ key: network }).catch(() => null)
      if (outcome?.success === false) entryOf(network).failures = maxFailures
    },
  }
}
