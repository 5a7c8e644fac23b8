import type { HttpOutcome } from '../lib/exchange.ts'
import type { Problem } from './problem.ts'

const unresolved = /EAI_AGAIN|ENOTFOUND|its name was not resolved/
const unrouted = /ENETUNREACH|EHOSTUNREACH/

/** Creates a record of whether a round could reach anything from this machine. */
export function createReach() {
  let hasReached = false
  const failures: string[] = []
  /** Returns why nothing at all was reached; null if something was, or if it is not known. */
  const explain = () => {
    if (hasReached || failures.length === 0) return null
    if (failures.every(detail => unresolved.test(detail)))
      return 'This machine cannot resolve names. Check its DNS resolver.'
    return failures.every(detail => unresolved.test(detail) || unrouted.test(detail))
      ? 'This machine has no network.'
      : null
  }
  return {
    hasReached: () => hasReached,
    note(outcome: HttpOutcome): void {
      if (outcome.kind === 'response') hasReached = true
      else if (outcome.cause !== 'aborted') failures.push(outcome.detail)
    },
    /** Adds to a problem of the network why nothing was reached, instead of what else could be done about it. */
    explainIn(problem: Problem | null): Problem | null {
      const why = problem && ofNetwork.includes(problem.reason) ? explain() : null
      return problem && why ? { reason: problem.reason, message: `${problem.message} ${why}` } : problem
    },
  }
}

/** Reasons of problems that a machine without a network has. */
const ofNetwork: readonly string[] = ['address-unavailable', 'service-unavailable', 'deadline']
