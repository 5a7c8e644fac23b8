import type { Clock } from '../../action/deadline.ts'
import type { Sequence } from '../support/sequence.ts'

/** An action at a time. Without `act`, it is cancelled. */
interface Appointment {
  readonly atMs: number
  act: (() => void) | null
}

/** How many appointments run before the event loop gets a turn. */
const turnAppointments = 10_000

/** Resolves after all microtasks, so after everything that was caused so far: a tick that a microtask requests runs last. */
export function settled(wait: (done: () => void) => void = process.nextTick): Promise<void> {
  return new Promise(resolve => queueMicrotask(() => wait(resolve)))
}

/** Time that moves from one appointment to the next, after everything that the first one causes. */
export class VirtualTime {
  nowMs = 0
  /** The earliest first. Most new ones are soon. */
  readonly #planned: Appointment[] = []

  at(atMs: number, act: () => void): Appointment {
    const added = { atMs, act }
    const later = this.#planned.findIndex(other => other.atMs > atMs)
    this.#planned.splice(later < 0 ? this.#planned.length : later, 0, added)
    return added
  }

  after(ms: number, act: () => void): Appointment {
    return this.at(this.nowMs + ms, act)
  }

  /** Lets time pass until `endMs`, or until it is over. */
  async run(endMs: number, isOver = () => false): Promise<void> {
    await settled()
    for (let acted = 1; !isOver() && (this.#planned[0]?.atMs ?? Number.POSITIVE_INFINITY) <= endMs; ) {
      const { atMs, act } = this.#planned.shift() as Appointment
      if (!act) continue
      this.nowMs = Math.max(this.nowMs, atMs)
      act()
      await settled(acted++ % turnAppointments === 0 ? setImmediate : undefined)
    }
  }
}
/** One process: its clock, and whether it runs, is suspended, or has ended. */
export class Host {
  readonly name: string
  readonly clock: Clock
  isDead = false
  /** How far its clock is ahead of the world's. */
  aheadMs = 0
  /** By how much its clock has moved forward while it could do nothing. */
  jumpedMs = 0
  #frozenUntilMs = 0
  /** What its clock shows while it is suspended. */
  #frozenAtMs = 0
  readonly #time: VirtualTime

  constructor(name: string, time: VirtualTime, random: Sequence) {
    this.name = name
    this.#time = time
    this.clock = {
      now: () => this.now(),
      sleep: (ms, signal) => this.#sleep(ms, signal),
      random: () => random.below(1_000_000) / 1_000_000,
    }
  }

  now(): number {
    return this.#time.nowMs < this.#frozenUntilMs ? this.#frozenAtMs : this.#time.nowMs + this.aheadMs
  }

  /** Suspends the process. Some systems count that time in their monotonic clock, others do not. */
  freeze(forMs: number, isCounted: boolean): void {
    this.#frozenAtMs = this.now()
    const fromMs = Math.max(this.#frozenUntilMs, this.#time.nowMs)
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#time.nowMs + forMs)
    if (isCounted) this.jumpedMs += this.#frozenUntilMs - fromMs
    else this.aheadMs -= this.#frozenUntilMs - fromMs
  }

  /** Moves its clock forward. */
  jump(byMs: number): void {
    this.aheadMs += byMs
    this.jumpedMs += byMs
  }

  /** Lets the process do something: now, after its suspension, or never if it has ended. */
  receive(act: () => void): void {
    if (this.isDead) return
    if (this.#time.nowMs < this.#frozenUntilMs) this.#time.at(this.#frozenUntilMs, () => this.receive(act))
    else act()
  }

  /** Wakes after a time on its own clock. */
  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const dueMs = this.now() + ms
      const wake = () => {
        appointment.act = null
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const look = () =>
        this.receive(() => {
          const leftMs = dueMs - this.now()
          if (leftMs > 0.001) appointment = this.#time.after(leftMs, look)
          else wake()
        })
      let appointment = this.#time.after(Math.max(0, ms), look)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }
}
