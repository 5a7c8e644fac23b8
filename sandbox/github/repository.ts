import sodium from 'libsodium-wrappers'

/** A secret or a variable. */
export interface StoredValue {
  readonly name: string
  readonly value: string
  /** In RFC 3339. */
  readonly createdAt: string
  /** In RFC 3339. */
  readonly updatedAt: string
}

/** Adds or changes a value. Returns whether it is new. @param now in RFC 3339 */
export function put(values: Map<string, StoredValue>, name: string, value: string, now: string): boolean {
  const before = values.get(name)
  values.set(name, { name, value, createdAt: before?.createdAt ?? now, updatedAt: now })
  return before === undefined
}

/** The secrets and variables of an environment or a repository. Names are in upper case. */
export class Place {
  readonly keyId: string
  readonly #keys: { readonly publicKey: Uint8Array; readonly privateKey: Uint8Array }
  readonly secrets = new Map<string, StoredValue>()
  readonly variables = new Map<string, StoredValue>()

  /** Requires libsodium to be ready. */
  constructor(keyId: string) {
    this.keyId = keyId
    this.#keys = sodium.crypto_box_keypair()
  }

  /** In base64. */
  get publicKey(): string {
    return Buffer.from(this.#keys.publicKey).toString('base64')
  }

  /** Decrypts a sealed box. Returns null if it is not sealed for this key. @param box in base64 */
  open(box: string): string | null {
    try {
      const { publicKey, privateKey } = this.#keys
      const opened = sodium.crypto_box_seal_open(
        new Uint8Array(Buffer.from(box, 'base64')),
        publicKey,
        privateKey,
      )
      return Buffer.from(opened).toString('utf8')
    } catch {
      return null
    }
  }
}

/** Who opened an issue, and what they are to the repository, such as `NONE` or `COLLABORATOR`. */
export interface IssueAuthor {
  readonly login: string
  readonly type: 'Bot' | 'User'
  readonly association: string
}

/** An issue. Times are in RFC 3339. */
export interface Issue {
  readonly number: number
  title: string
  body: string | null
  state: 'open' | 'closed'
  readonly isPullRequest: boolean
  readonly author: IssueAuthor
  readonly createdAt: string
  updatedAt: string
}

/** What GitHub says of a workflow. It switches schedules of quiet public repositories off (`disabled_inactivity`). */
export type WorkflowState =
  | 'active'
  | 'deleted'
  | 'disabled_fork'
  | 'disabled_inactivity'
  | 'disabled_manually'

/** A run that somebody started through the API. */
export interface Dispatch {
  readonly workflow: string
  readonly branch: string
  /** In RFC 3339. */
  readonly at: string
}

/** A repository with its environments, secrets, variables and issues. */
export class Repository {
  readonly id = 100_001
  readonly ownerId = 100_000
  readonly owner = 'homeport'
  readonly name = 'homeport'
  #places = 0
  readonly actions = this.#place()
  readonly environments = new Map<string, Place>()
  /** By file name. */
  workflows: Readonly<Record<string, WorkflowState>> = {
    'infra-deploy.yml': 'active',
    'infra-drift.yml': 'active',
    'reconcile.yml': 'active',
  }
  dispatches: readonly Dispatch[] = []
  /** The default branch first. */
  branches: readonly string[] = ['main']
  isPrivate = true
  /** Oldest first. */
  issues: Issue[] = []

  /** Returns the environment with a name. Creates it if needed. */
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
