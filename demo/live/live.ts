import type { ServerResponse } from 'node:http'
import type { JournalEntry } from '../../sandbox/http/journal.ts'
import type { FollowedRecord } from '../followed-record.ts'
import type { DeclaredResource } from './declared.ts'
import { type LiveState, type Part, partsOf, roundSeconds, roundsPerAddress } from './page.ts'
import { Viewers } from './viewers.ts'

const maxRequests = 40
const tickMs = 1000

/** The sign-in handler, reached through the page's own origin. */
interface SignIn {
  /** Port of the handler on loopback. */
  readonly port: number
  close(): Promise<void>
}

interface LiveOptions {
  readonly record: FollowedRecord
  /** Returns the requests that reached the sandbox, oldest first. */
  readonly journal: () => readonly JournalEntry[]
  /** Takes seconds. Called once, when somebody opens the page. */
  readonly declare: (signal: AbortSignal) => Promise<readonly DeclaredResource[]>
  readonly startSignIn: () => Promise<SignIn>
}

/** The state of the page, and the rounds that run while somebody watches it. */
export class Live {
  readonly #options: LiveOptions
  readonly #viewers = new Viewers()
  readonly #closing = new AbortController()
  readonly #timer: NodeJS.Timeout
  #declared: Part<readonly DeclaredResource[]> = 'starting'
  #signIn: Part<SignIn> = 'starting'
  #opened: Promise<unknown> | null = null
  #round: Promise<void> | null = null
  #nextRoundMs = 0
  #automaticRounds = 0

  constructor(options: LiveOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#tick(), tickMs)
  }

  get state(): LiveState {
    const { record, journal } = this.#options
    return {
      record,
      running: this.#round !== null,
      declared: this.#declared,
      signIn: this.#signIn,
      requests: journal().slice(-maxRequests).toReversed(),
    }
  }

  /** The port of the handler; null until it has started. */
  get signInPort(): number | null {
    return typeof this.#signIn === 'object' && 'value' in this.#signIn ? this.#signIn.value.port : null
  }

  /** Starts the parts that take seconds, unless they have started. */
  open(): void {
    const { declare, startSignIn } = this.#options
    this.#opened ??= Promise.all([
      Promise.allSettled([declare(this.#closing.signal)]).then(([part]) => {
        this.#declared = part
      }),
      Promise.allSettled([startSignIn()]).then(([part]) => {
        this.#signIn = part
      }),
    ])
  }

  /** Sends every part to a new viewer, then each that changes. */
  watch(response: ServerResponse): void {
    this.#viewers.show(partsOf(this.state))
    this.#viewers.add(response)
  }

  async changeAddress(): Promise<void> {
    const { record } = this.#options
    await record.changeAddress(nextAddress(record.address))
    this.#show()
  }

  /** Runs the action, or waits for the run in progress. */
  round(): Promise<void> {
    this.#round ??= this.#options.record.round().then(() => {
      this.#round = null
      this.#show()
    })
    this.#nextRoundMs = performance.now() + roundSeconds * 1000
    this.#show()
    return this.#round
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await Promise.all([this.#round, this.#opened])
    if (typeof this.#signIn === 'object' && 'value' in this.#signIn) await this.#signIn.value.close()
  }

  #tick(): void {
    if (this.#viewers.size > 0 && this.#round === null && performance.now() >= this.#nextRoundMs) {
      this.#automaticRounds += 1
      const changes = this.#automaticRounds % roundsPerAddress === 0
      // Set here too, so that no tick starts another round while the address changes.
      this.#nextRoundMs = Number.POSITIVE_INFINITY
      void (changes ? this.changeAddress() : Promise.resolve()).then(() => this.round())
    }
    this.#show()
  }

  #show(): void {
    if (this.#viewers.size > 0) this.#viewers.show(partsOf(this.state))
  }
}

/** Returns the next address of a range that RFC 5737 reserves for documentation. None repeats before all were used. */
function nextAddress(address: string): string {
  const last = Number(address.split('.').at(-1))
  return `203.0.113.${((last + 40) % 254) + 1}`
}
