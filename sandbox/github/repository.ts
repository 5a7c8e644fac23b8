import sodium from 'libsodium-wrappers'

/** Something that has a value and two dates. */
export interface Valued {
  readonly name: string
  readonly value: string
  /** RFC 3339 */
  readonly createdAt: string
  readonly updatedAt: string
}

/** The secrets and variables of an environment, or of a whole repository. Names have no case. */
export class Place {
  readonly keyId: string
  readonly #keys: { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array }
  readonly secrets = new Map<string, Valued>()
  readonly variables = new Map<string, Valued>()

  /** Only when the library is ready. */
  constructor(keyId: string) {
    this.keyId = keyId
    this.#keys = sodium.crypto_box_keypair()
  }

  /** Base64. */
  get publicKey(): string {
    return Buffer.from(this.#keys.publicKey).toString('base64')
  }

  /** Opens a box that was sealed for this place; undefined when it was not. @param box base64 */
  open(box: string): string | undefined {
    try {
      const { publicKey, privateKey } = this.#keys
      const opened = sodium.crypto_box_seal_open(
        new Uint8Array(Buffer.from(box, 'base64')),
        publicKey,
        privateKey,
      )
      return Buffer.from(opened).toString('utf8')
    } catch {
      return undefined
    }
  }
}

/** A repository with what Actions may use in it. */
export class Repository {
  readonly id: number
  readonly owner: string
  readonly name: string
  readonly actions: Place
  readonly environments = new Map<string, Place>()
  #places = 0

  constructor(id: number, owner: string, name: string) {
    this.id = id
    this.owner = owner
    this.name = name
    this.actions = this.#place()
  }

  /** The environment of a name, made when it is not there. */
  ensure(environment: string): Place {
    const present = this.environments.get(environment)
    if (present) return present
    const place = this.#place()
    this.environments.set(environment, place)
    return place
  }

  #place(): Place {
    this.#places += 1
    return new Place(`${this.id}${String(this.#places).padStart(8, '0')}`)
  }
}
