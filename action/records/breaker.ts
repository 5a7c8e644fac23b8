import type { Problem } from '../problem.ts'

/** Which other requests a failure says something about: all of them, those to the same zone, or none. */
export type Scope = 'service' | 'zone' | 'request'

/**
 * Remembers failures that other requests would only repeat, such as a rejected token or a service that is down, so that
 * they cost a request or two instead of one per name.
 */
export interface Breaker {
  /** Returns why nothing more is sent to a zone, or null while requests are sent. */
  openFor(zoneId: string): Problem | null
  /** Records a read that failed. */
  readFailed(zoneId: string, problem: Problem, scope: Scope): void
  /** Records a write that was confirmed. */
  writeSucceeded(): void
  /**
   * Records a write that failed. Before the first success, one failure opens the breaker. After it, several in a row do,
   * because many writes can meet a temporary 403 (octodns, pull request 121).
   */
  writeFailed(zoneId: string, problem: Problem, scope: Scope): void
}

const maxFailuresInRow = 4

/** Creates a breaker that is closed. */
export function createBreaker(): Breaker {
  let service: Problem | null = null
  const zones = new Map<string, Problem>()
  let anyWritten = false
  let failuresInRow = 0

  const open = (zoneId: string, failure: Problem, scope: Scope) => {
    if (scope === 'request' || service || zones.has(zoneId)) return
    // Records that are not tried stay as they are.
    const reason = failure.reason === 'write-unconfirmed' ? 'service-unavailable' : failure.reason
    const message = `Not tried, because another name just failed with ${failure.reason}.`
    if (scope === 'service') service = { reason, message }
    else zones.set(zoneId, { reason, message })
  }
  return {
    openFor: zoneId => service ?? zones.get(zoneId) ?? null,
    readFailed: open,
    writeSucceeded() {
      anyWritten = true
      failuresInRow = 0
    },
    writeFailed(zoneId, problem, scope) {
      if (scope === 'request') return
      failuresInRow++
      if (!anyWritten || failuresInRow >= maxFailuresInRow) open(zoneId, problem, scope)
    },
  }
}
