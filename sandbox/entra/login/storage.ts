import type { Adapter, AdapterPayload } from 'oidc-provider'
import { EntraError, problems } from './aadsts.ts'

/** Expired entries are kept so long: an expired code is refused as expired, not as unknown. */
const keptSeconds = 3600
const mostEntries = 50_000
/** Seconds; the library tolerates clocks that differ by less. */
const beyondTolerance = 60

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** What the OAuth library keeps, in memory: one map for each kind (session, interaction, code, access token …). */
export class Storage {
  readonly #kinds = new Map<string, Map<string, AdapterPayload>>()
  readonly #revokeOnReuse: boolean

  /** @param revokeOnReuse whether a code that is redeemed again takes its access token with it (RFC 6749, 4.1.2) */
  constructor(revokeOnReuse: boolean) {
    this.#revokeOnReuse = revokeOnReuse
  }

  /** Has everything of a kind that was issued until now be expired. */
  expire(kind: 'AuthorizationCode' | 'AccessToken'): void {
    for (const payload of this.#of(kind).values()) payload.exp = nowSeconds() - beyondTolerance
  }

  /** Has a code redeemed by whoever presents it, as if no challenge had come with its request. */
  forgetChallenge(code: string): void {
    const payload = this.#of('AuthorizationCode').get(code)
    if (payload !== undefined) payload.codeChallenge = undefined
  }

  /** The adapter that the library asks for; `kind` is the name of its model. */
  adapter(kind: string): Adapter {
    const entries = this.#of(kind)
    const idOfUid = new Map<string, string>()
    const revoke = (grantId: string) => {
      for (const [id, payload] of entries) if (payload.grantId === grantId) entries.delete(id)
    }
    return {
      upsert: async (id, payload, expiresIn) => {
        const exp = payload.exp ?? nowSeconds() + (expiresIn ?? keptSeconds)
        entries.set(id, { ...payload, exp })
        if (kind === 'Session' && payload.uid !== undefined) idOfUid.set(payload.uid, id)
        this.#trim(entries)
      },
      find: async id => entries.get(id),
      findByUid: async uid => entries.get(idOfUid.get(uid) ?? ''),
      findByUserCode: async () => undefined,
      consume: async id => {
        const payload = entries.get(id)
        // Two requests may both have found the code unused: the second to come here is the one that is refused.
        if (payload === undefined || payload.consumed) throw new EntraError(problems.codeRedeemed)
        payload.consumed = nowSeconds()
      },
      destroy: async id => {
        entries.delete(id)
      },
      revokeByGrantId: async grantId => {
        if (this.#revokeOnReuse && kind !== 'AuthorizationCode') revoke(grantId)
      },
    }
  }

  #of(kind: string): Map<string, AdapterPayload> {
    const present = this.#kinds.get(kind)
    if (present !== undefined) return present
    const created = new Map<string, AdapterPayload>()
    this.#kinds.set(kind, created)
    return created
  }

  #trim(entries: Map<string, AdapterPayload>): void {
    const oldest = nowSeconds() - keptSeconds
    for (const [id, payload] of entries) {
      if (entries.size <= mostEntries && (payload.exp ?? 0) >= oldest) return
      entries.delete(id)
    }
  }
}
