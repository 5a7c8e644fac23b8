import type { Host } from '../http/hosts.ts'
import { decodeBase64url, encodeHex } from '../settings/base64url.ts'
import type { SessionKey } from '../settings/session-keys.ts'
import { signJwt } from './cryptography.ts'
import { endIfUsed, type Session, type SessionRules } from './session.ts'
import type { User } from './session-check.ts'

/** Says to an application who is signed in, in a form that it can verify. */
export interface Assertions {
  /**
   * Returns a JWT (RFC 7519) about the user of a session, for the application of a host. It ends after five minutes, and never
   * after the session.
   * @param email null if the application gets none
   */
  assertionOf(session: Session, user: User, host: Host, email: string | null): Promise<string>
  /** Returns the public keys as a JWK set (RFC 7517). */
  publicKeys(): Promise<{ readonly keys: readonly object[] }>
}

interface SigningKey {
  readonly sign: Awaited<ReturnType<typeof crypto.subtle.importKey>>
  readonly publicKey: object
}

interface Signed {
  readonly content: string
  /** Unix time in milliseconds. */
  readonly at: number
  /** Unix time in seconds. It moves with the end of the session. */
  readonly exp: number
  readonly token: string
}

const hkdfInfo = 'homeport assertion 1'
/** 128 bits more than the order, so that no key is likelier than another (FIPS 186-5 A.2.1). */
const seedBytes = 48
/** Order of P-256 (SP 800-186 §3.2.1.3). */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** PKCS #8 (RFC 5958) of a private key of P-256 without its public point, up to its 32 bytes. */
const privateKeyHead = 'MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCA'
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

const lifetimeSeconds = 300
/** A token is signed again after this time. */
const keptMs = 60_000
/** Sessions whose tokens are kept. */
const maxKept = 2000

/**
 * Creates assertions that each session key signs, by a key that follows from it. The first key signs.
 * @param rules by which sessions end
 */
export function createAssertions(
  sessionKeys: readonly SessionKey[],
  basePath: string,
  rules: Omit<SessionRules, 'sealer'>,
): Assertions {
  let keys: Promise<readonly SigningKey[]> | undefined
  const deriveOnce = () => {
    keys ??= Promise.all(sessionKeys.map(deriveKey))
    return keys
  }
  const kept = new Map<string, Signed>()

  async function sign(claims: object): Promise<string> {
    const [key] = await deriveOnce()
    const header = { alg: 'ES256', typ: 'JWT', kid: sessionKeys[0]?.kid }
    return signJwt(header, claims, { name: 'ECDSA', hash: 'SHA-256' }, (key as SigningKey).sign)
  }

  return {
    async assertionOf(session, { resourceId, username, isAdmin }, { origin, name }, email) {
      const end = Math.floor(endIfUsed(rules, session) / 1000)
      const about = {
        iss: origin + basePath,
        aud: origin,
        sub: resourceId,
        username,
        isAdmin,
        ...(email !== null && { email }),
      }
      const content = JSON.stringify(about)
      const place = `${session.id} ${name}`
      const found = kept.get(place)
      const at = rules.now()
      const expiryAfter = (signedAt: number) => Math.min(Math.floor(signedAt / 1000) + lifetimeSeconds, end)
      const isRecent = found !== undefined && found.at <= at && at < found.at + keptMs
      if (isRecent && found.content === content && found.exp === expiryAfter(found.at)) return found.token
      const exp = expiryAfter(at)
      const token = await sign({ ...about, iat: Math.floor(at / 1000), exp })
      const [oldest] = kept.size >= maxKept ? kept.keys() : []
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(place, { content, at, exp, token })
      return token
    },

    publicKeys: async () => ({ keys: (await deriveOnce()).map(({ publicKey }) => publicKey) }),
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Derives a key pair of P-256 from a session key by HKDF (RFC 5869) and a modular reduction (FIPS 186-5 A.2.1). */
async function deriveKey({ kid, bytes }: SessionKey): Promise<SigningKey> {
  const { subtle } = crypto
  const from = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits'])
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytesOf(hkdfInfo) }
  const seed = new Uint8Array(await subtle.deriveBits(parameters, from, seedBytes * 8))
  const scalar = (BigInt(`0x${encodeHex(seed)}`) % (order - 1n)) + 1n
  const digits = scalar.toString(16).padStart(64, '0')
  const head = decodeBase64url(privateKeyHead) ?? new Uint8Array()
  const key = Uint8Array.of(...head, ...(digits.match(/../g) ?? []).map(byte => Number.parseInt(byte, 16)))
  const sign = await subtle.importKey('pkcs8', key, algorithm, true, ['sign'])
  const { kty, crv, x, y } = await subtle.exportKey('jwk', sign)
  return { sign, publicKey: { kty, crv, x, y, kid, use: 'sig', alg: 'ES256' } }
}
