import type { Clock } from '../../action/deadline.ts'
import type { Sequence } from '../../sandbox/testing/sequence.ts'

/** An action at a time. Without `act`, it is cancelled. */
export interface Appointment {
  readonly atMs: number
  readonly order: number
  act: (() => void) | null
}

/** How many appointments run before the event loop gets a turn. */
const turnAppointments = 10_000

/** Time that moves from one appointment to the next, after everything that the first one causes. */
export class VirtualTime {
  nowMs = 0
  isOver = false
  #order = 0
  /** A binary heap, the earliest first. */
  readonly #heap: Appointment[] = []

  at(atMs: number, act: () => void): Appointment {
    const added = { atMs, order: this.#order++, act }
    const heap = this.#heap
    let place = heap.length
    while (place > 0) {
      const parentPlace = (place - 1) >> 1
      const parent = heap[parentPlace]
      if (parent === undefined || isBefore(parent, added)) break
      heap[place] = parent
      place = parentPlace
    }
    heap[place] = added
    return added
  }

  /** Lets time pass until `endMs`, or until `isOver` is set. */
  run(endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      let acted = 0
      // A tick that a microtask requests runs after all microtasks, so after everything that the last appointment caused.
      const goOn = () => {
        if (++acted % turnAppointments === 0) setImmediate(step)
        else process.nextTick(step)
      }
      const step = () => {
        const next = this.#earliest(endMs)
        if (next === null || this.isOver) return resolve()
        this.nowMs = Math.max(this.nowMs, next.atMs)
        try {
          next.act?.()
        } catch (error) {
          return reject(error)
        }
        queueMicrotask(goOn)
      }
      queueMicrotask(goOn)
    })
  }

  #earliest(endMs: number): Appointment | null {
    for (let first = this.#heap[0]; first && first.atMs <= endMs; first = this.#heap[0]) {
      this.#removeFirst()
      if (first.act) return first
    }
    return null
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return
    let place = 0
    for (;;) {
      const left = heap[2 * place + 1]
      const right = heap[2 * place + 2]
      if (left === undefined) break
      const isLeft = right === undefined || isBefore(left, right)
      const child = isLeft ? left : right
      if (isBefore(last, child)) break
      heap[place] = child
      place = 2 * place + (isLeft ? 1 : 2)
    }
    heap[place] = last
  }
}

function isBefore(one: Appointment, other: Appointment): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
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
          if (leftMs > 0.001) appointment = this.#time.at(this.#time.nowMs + leftMs, look)
          else wake()
        })
      let appointment = this.#time.at(this.#time.nowMs + Math.max(0, ms), look)
      signal?.addEventListener('abort', wake, { once: true })
    })
  }
}
