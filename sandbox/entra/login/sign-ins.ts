import { randomBytes } from 'node:crypto'
import type { Clock } from '../../http/clock.ts'

/** A request to sign somebody in that passed every check. */
export interface SignInRequest {
  readonly clientId: string
  readonly redirectUri: string
  /** The PKCE challenge, for S256. */
  readonly challenge: string
  readonly state: string | null
}

/** What a code was issued for. */
interface Code extends SignInRequest {
  /** The object ID of the user. */
  readonly userId: string
  isRedeemed: boolean
}

/** Values by random keys, each valid for some time. */
class Expiring<Value> {
  readonly #clock: Clock
  readonly #lifetimeMs: number
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>()

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  /** Keeps a value. Returns its key. */
  add(value: Value): string {
    const key = randomBytes(32).toString('base64url')
    this.#entries.set(key, { value, until: this.#clock.now() + this.#lifetimeMs })
    return key
  }

  /** Returns a value, and whether its time is over, or null if no value has the key. */
  find(key: string): { readonly value: Value; readonly isOver: boolean } | null {
    const entry = this.#entries.get(key)
    return entry ? { value: entry.value, isOver: entry.until <= this.#clock.now() } : null
  }

  /** Returns a value whose time is not over, or null. */
  live(key: string): Value | null {
    const found = this.find(key)
    return found && !found.isOver ? found.value : null
  }

  remove(key: string): void {
    this.#entries.delete(key)
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The sign-ins of a tenant. */
export class SignIns {
  /** Those that wait until the user picks an account. */
  readonly interactions: Expiring<SignInRequest>
  /** The object IDs of the users who are signed in, by the cookie of their browser. */
  readonly sessions: Expiring<string>
  readonly codes: Expiring<Code>
  /** The object IDs of users, by their access tokens for Graph. */
  readonly tokens: Expiring<string>

  constructor(clock: Clock) {
    this.interactions = new Expiring(clock, 10 * minuteMs)
    this.sessions = new Expiring(clock, 24 * hourMs)
    this.codes = new Expiring(clock, 10 * minuteMs)
    this.tokens = new Expiring(clock, hourMs)
  }
}
