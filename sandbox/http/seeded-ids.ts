import { createHash } from 'node:crypto'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Generates ids and token values that depend only on a seed: the same on every machine, and no real secrets. */
export class SeededIds {
  readonly #prefix: string
  #count = 0

  /** @param series names an independent sequence, so that services do not affect the ids of one another */
  constructor(seed: number, series = '') {
    this.#prefix = series === '' ? `${seed}` : `${series}/${seed}`
  }

  /** Returns 32 lower-case hexadecimal digits. */
  id(): string {
    return this.#draw().toString('hex').slice(0, 32)
  }

  /** Returns a version 4 UUID. */
  uuid(): string {
    const digits = this.id()
    const variant = '89ab'[Number.parseInt(digits[16] ?? '0', 16) % 4]
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
  }

  /** Returns letters and digits. @param length at most 64 */
  text(length: number): string {
    const bytes = [...this.#draw(), ...this.#draw()].slice(0, length)
    return bytes.map(byte => base62[byte % base62.length]).join('')
  }

  #draw(): Buffer {
    this.#count += 1
    return createHash('sha256').update(`${this.#prefix}/${this.#count}`).digest()
  }
}
