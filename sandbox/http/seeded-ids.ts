import { createHash } from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * Makes identifiers and tokens that look like the DNS service's own and follow from a seed alone: the same seed
 * gives the same sequence on every machine. Nothing here is secret, and nothing here is random.
 */
export class Generator {
  readonly #seed: number
  #drawn = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** An object identifier: 32 lower-case hexadecimal digits. */
  id(): string {
    return this.#draw().toString('hex').slice(0, 32)
  }

  /** A UUID of version 4, as databases and certificates have. */
  uuid(): string {
    const digits = this.id()
    const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) % 4]
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
  }

  /**
   * A token in the scannable format: `cfut_` for a user's or `cfat_` for an account's, 40 characters, 8 hexadecimal
   * digits in the checksum's place.
   */
  token(owner: 'user' | 'account'): string {
    const characters = [...this.#draw(), ...this.#draw()]
      .slice(0, 40)
      .map(byte => base62[byte % base62.length])
    const prefix = owner === 'user' ? 'cfut' : 'cfat'
    return `${prefix}_${characters.join('')}${this.#draw().toString('hex').slice(0, 8)}`
  }

  #draw(): Buffer {
    this.#drawn += 1
    return createHash('sha256').update(`${this.#seed}/${this.#drawn}`).digest()
  }
}
