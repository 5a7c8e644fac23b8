import { type Authority, createAuthority } from './certificates.ts'
import { Clock } from './clock.ts'
import { Faults } from './faults.ts'
import { Journal } from './journal.ts'
import { Redactor } from './redaction.ts'
import { SeededIds } from './seeded-ids.ts'
import type { Service } from './service.ts'

/** Something that runs until it is closed. */
export interface Closable {
  close(): Promise<void>
}

/** What all services of a sandbox share: the clock, the journal, the faults, and one another's names. */
export class ServerContext {
  readonly clock = new Clock()
  readonly journal = new Journal(this.clock)
  readonly faults = new Faults()
  readonly authority: Promise<Authority> = createAuthority()
  readonly #seed: number
  readonly #services: Service[] = []
  readonly #running: Closable[] = []
  readonly #started = Promise.withResolvers<void>()
  #redactor = new Redactor([])

  constructor(seed: number) {
    this.#seed = seed
    // Whoever awaits it gets the failure; nobody may, if the start fails before.
    this.authority.catch(() => undefined)
  }

  get services(): readonly Service[] {
    return this.#services
  }

  /** Settles when every service has started: requests wait for it. */
  get ready(): Promise<void> {
    return this.#started.promise
  }

  get redactor(): Redactor {
    return this.#redactor
  }

  /** Returns identifiers that follow from the sandbox's seed. @param series names a sequence of its own */
  ids(series?: string): SeededIds {
    return new SeededIds(this.#seed, series)
  }

  /** Adds a service to those that are served, in the order in which they may claim requests. */
  register(...services: readonly Service[]): void {
    this.#services.push(...services)
    this.#redactor = new Redactor(this.#services)
  }

  /** Has something closed together with everything else. */
  async run<Running extends Closable>(starting: Promise<Running> | Running): Promise<Running> {
    const running = await starting
    this.#running.push(running)
    return running
  }

  /** Lets the requests in that were waiting for every service to start. */
  open(): void {
    this.#started.resolve()
  }

  /** Ends every server and every connection. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map(running => running.close()))
  }
}
