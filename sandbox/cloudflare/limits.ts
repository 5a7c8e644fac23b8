import { type Refusal, refuse } from './errors.ts'
import type { Token } from './tokens/token.ts'

const ownerQuota = 1200
const ownerWindowMs = 300_000
/** Milliseconds for which every request is refused after the quota is exceeded. */
const blockMs = 300_000
const addressQuota = 200
const addressWindowMs = 1000
/** Above this number of addresses, all counters of addresses are reset. */
const maxAddresses = 1024

type Owner = Token['owner']
interface Window {
  startMs: number
  count: number
  blockedUntilMs: number
}

/** The effect of the limits on a request: headers for its response, and a refusal if a limit is exceeded. */
interface Allowance {
  readonly headers: Readonly<Record<string, string>>
  readonly refusal?: Refusal
}

const seconds = (ms: number): number => Math.max(0, Math.ceil(ms / 1000))

const headersOf = (policy: string, quota: number, windowMs: number, left: number, resetMs: number) => ({
  ratelimit: `"${policy}";r=${Math.max(0, left)};t=${seconds(resetMs)}`,
  'ratelimit-policy': `"${policy}";q=${quota};w=${windowMs / 1000}`,
})

const tooMany = (message: string): Refusal => refuse(429, { code: 10100, message })

const ownerExceeded = tooMany(
  `More than ${ownerQuota} requests per ${ownerWindowMs / 1000} seconds reached. Please wait and consider throttling your request speed`,
)
const addressExceeded = tooMany(
  `More than ${addressQuota} requests per second reached. Please wait and consider throttling your request speed`,
)

/**
 * Counts requests by owner of their token and by address. It always counts, so that responses can report the remaining
 * quota, but refuses requests only if enforced.
 */
export class Limits {
  #enforced = false
  readonly #owners = new Map<Owner, Window>()
  readonly #addresses = new Map<string, Window>()

  enforced(): boolean {
    return this.#enforced
  }

  /**
   * Resets the counters.
   * @param used the number of requests to count as already sent by each owner
   */
  begin(enforced: boolean, used: number, nowMs: number): void {
    this.#enforced = enforced
    this.#addresses.clear()
    for (const owner of ['user', 'account'] as const) {
      this.#owners.set(owner, { startMs: nowMs, count: used, blockedUntilMs: 0 })
    }
  }

  /**
   * Counts a request.
   * @param owner null if the token is unknown
   * @param nowMs milliseconds since 1970
   */
  take(owner: Owner | null, address: string, nowMs: number): Allowance {
    const byAddress = this.#count(this.#addresses, address, addressWindowMs, nowMs)
    if (this.#addresses.size > maxAddresses) this.#addresses.clear()
    if (owner === null) return this.#byAddress(byAddress, nowMs)
    const window = this.#count(this.#owners, owner, ownerWindowMs, nowMs)
    if (this.#enforced && window.count > ownerQuota && window.blockedUntilMs <= nowMs) {
      window.blockedUntilMs = nowMs + blockMs
    }
    const blockedMs = window.blockedUntilMs - nowMs
    const resetMs = blockedMs > 0 ? blockedMs : window.startMs + ownerWindowMs - nowMs
    const left = blockedMs > 0 ? 0 : ownerQuota - window.count
    const headers = headersOf('default', ownerQuota, ownerWindowMs, left, resetMs)
    if (this.#enforced && blockedMs > 0) {
      return { headers: { ...headers, 'retry-after': String(seconds(blockedMs)) }, refusal: ownerExceeded }
    }
    const { refusal } = this.#byAddress(byAddress, nowMs)
    return refusal ? { headers: { ...headers, 'retry-after': '1' }, refusal } : { headers }
  }

  #byAddress(window: Window, nowMs: number): Allowance {
    const resetMs = window.startMs + addressWindowMs - nowMs
    const headers = headersOf('address', addressQuota, addressWindowMs, addressQuota - window.count, resetMs)
    return this.#enforced && window.count > addressQuota
      ? { headers: { ...headers, 'retry-after': '1' }, refusal: addressExceeded }
      : { headers }
  }

  /** Counts a request in its window. A new window starts if the last one is over, or if the clock was set back. */
  #count<Key>(windows: Map<Key, Window>, key: Key, windowMs: number, nowMs: number): Window {
    const last = windows.get(key)
    const isOver =
      last === undefined ||
      nowMs >= Math.max(last.startMs + windowMs, last.blockedUntilMs) ||
      nowMs < last.startMs - windowMs
    const window = isOver ? { startMs: nowMs, count: 0, blockedUntilMs: 0 } : last
    window.count += 1
    windows.set(key, window)
    return window
  }
}
