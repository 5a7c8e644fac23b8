import { type Authority, createAuthority } from './certificates.ts'
import { Clock } from './clock.ts'
import type { Service } from './emulated-service.ts'
import { Faults } from './faults.ts'
import { Journal } from './journal.ts'
import { SeededIds } from './seeded-ids.ts'

/** Something that runs until it is closed. */
interface Closable {
  close(): Promise<void>
}

/** The parts that all services of a sandbox share: clock, journal, faults, certificates and the list of services. */
export class ServerContext {
  readonly clock = new Clock()
  readonly journal = new Journal()
  readonly faults = new Faults()
  readonly authority: Promise<Authority> = createAuthority()
  readonly #seed: number
  readonly #services: Service[] = []
  readonly #running: Closable[] = []

  constructor(seed: number) {
    this.#seed = seed
    // Prevents an unhandled rejection if the start fails before anything awaits the authority.
    this.authority.catch(() => undefined)
  }

  get services(): readonly Service[] {
    return this.#services
  }

  /**
   * Returns a generator of ids that depend only on the seed.
   * @param series names an independent sequence
   */
  ids(series?: string): SeededIds {
    return new SeededIds(this.#seed, series)
  }

  /** Adds services. They can claim requests in the order in which they are added. */
  register(...services: readonly Service[]): void {
    this.#services.push(...services)
  }

  /** Adds something to close when the sandbox closes. */
  async run<Running extends Closable>(starting: Promise<Running> | Running): Promise<Running> {
    const running = await starting
    this.#running.push(running)
    return running
  }

  /** Closes every server and every connection. */
  async close(): Promise<void> {
    await Promise.all(this.#running.map(running => running.close()))
  }
}
