import { createHash } from 'node:crypto'

const base62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Identifiers and secrets that follow from a seed: the same seed gives the same ones in the same order. */
export class Draws {
  readonly #seed: number
  #drawn = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** A GUID in lower case, of version 4 by its form. */
  guid(): string {
    const hex = this.#draw().toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  /**
   * A client secret of 40 characters. Entra's have a tilde behind the fifth character or so (observed in portal
   * listings); plus, slash and equals sign were reported too, and are what a client that encodes badly trips over.
   */
  clientSecret(): string {
    const text = this.text(36)
    return `${text.slice(0, 5)}~${text.slice(5, 15)}+${text.slice(15, 25)}/${text.slice(25)}=`
  }

  /** Letters and digits. `length` at most 64. */
  text(length: number): string {
    const bytes = [...this.#draw(), ...this.#draw()].slice(0, length)
    return bytes.map(byte => base62[byte % base62.length]).join('')
  }

  #draw(): Buffer {
    this.#drawn += 1
    return createHash('sha256').update(`entra/${this.#seed}/${this.#drawn}`).digest()
  }
}
