import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Clock } from '../../http/clock.ts'
import { EntraError, problems } from './aadsts.ts'

/**
 * The in-memory store of the OAuth library: one map for each kind (session, interaction, code, access token …). The library
 * uses the machine's clock, so expiry times are stored by the clock of the sandbox and converted when they are read.
 */
export class OAuthStorage {
  readonly #clock: Clock
  readonly #kinds = new Map<string, Map<string, AdapterPayload>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the adapter that the library asks for. @param kind the name of the library's model */
  adapter(kind: string): Adapter {
    const entries = this.#of(kind)
    const idOfUid = new Map<string, string>()
    const find = (id: string): AdapterPayload | undefined => {
      const payload = entries.get(id)
      if (payload?.exp === undefined) return payload
      return { ...payload, exp: payload.exp - this.#aheadSeconds() }
    }
    return {
      upsert: async (id, payload) => {
        const { exp } = payload
        entries.set(id, { ...payload, ...(exp !== undefined && { exp: exp + this.#aheadSeconds() }) })
        if (kind === 'Session' && payload.uid !== undefined) idOfUid.set(payload.uid, id)
      },
      find: async id => find(id),
      findByUid: async uid => find(idOfUid.get(uid) ?? ''),
      findByUserCode: async () => undefined,
      consume: async id => {
        const payload = entries.get(id)
        // Two requests can both find the code unused. The second one is refused.
        if (payload === undefined || payload.consumed) throw new EntraError(problems.codeRedeemed)
        payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async id => {
        entries.delete(id)
      },
      // The library would revoke the access token of a code that is redeemed again. Entra cannot revoke access tokens.
      revokeByGrantId: async () => undefined,
    }
  }

  /** How far the sandbox's clock is ahead of the machine's. */
  #aheadSeconds(): number {
    return Math.round((this.#clock.now() - Date.now()) / 1000)
  }

  #of(kind: string): Map<string, AdapterPayload> {
    const present = this.#kinds.get(kind)
    if (present !== undefined) return present
    const created = new Map<string, AdapterPayload>()
    this.#kinds.set(kind, created)
    return created
  }
}
