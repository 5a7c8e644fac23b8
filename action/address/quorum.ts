import type { Reading } from '../problem.ts'
import { setting } from '../setting-names.ts'

/** What one source returned. */
export type Vote = { readonly source: string } & Answer

/** An address, or why there is none that counts. Every string is safe to print. */
export type Answer =
  | {
      readonly value: string
      /** How the source arrived at it. */
      readonly note?: string
    }
  | NoVote

/** Why an answer does not count. */
export interface NoVote {
  readonly problem: string
  /** The addresses that the source could not choose from. */
  readonly candidates?: readonly string[]
  /** What to do about a certificate that this machine does not trust. */
  readonly fix?: string
  /** Whether a resolver returned no DNS answer, such as in a network that blocks it. */
  readonly isUnusable?: boolean
}

/** Returns the smallest number that is more than half of the sources. */
export function majority(sources: number): number {
  return Math.floor(sources / 2) + 1
}

/**
 * Counts the votes, one for each source. Returns the address with the votes of the majority of the sources, or why there is
 * none: several addresses, a source with several, or too few votes. A source that failed has no vote, but still counts as
 * a source.
 */
export function countVotes(votes: readonly Vote[]): Reading<string> {
  const quorum = majority(votes.length)
  const tally = [...tallyOf(votes)]
  const [winner] = tally.find(([, count]) => count >= quorum) ?? []
  if (winner !== undefined) return { value: winner }
  const failed = votes.filter(vote => 'problem' in vote)
  if (tally.length > 1 || failed.flatMap(({ candidates = [] }) => candidates).length > 1) {
    const message =
      `The address sources disagree (${nameVotes(votes)}). The quorum is ${quorum}. No record was changed. If this ` +
      'persists, look for a VPN, a second uplink or a faulty source.'
    return { problem: { reason: 'address-disagreement', message } }
  }
  const fix = failed.find(vote => vote.fix !== undefined)?.fix
  const message =
    `Only ${votes.length - failed.length} of ${votes.length} address sources returned an address, but the quorum is ` +
    `${quorum} (${nameVotes(votes)}). No record was changed. ` +
    `${fix ?? `Check the connection of the host, or set other ${setting('address-sources')}`}.`
  return { problem: { reason: fix === undefined ? 'address-unavailable' : 'tls-untrusted', message } }
}

function tallyOf(votes: readonly Vote[]): ReadonlyMap<string, number> {
  const values = votes.flatMap(vote => ('value' in vote ? vote.value : []))
  return new Map([...new Set(values)].map(value => [value, values.filter(other => other === value).length]))
}

/** Returns whether the outcome is certain, however the `missing` sources vote: one address is agreed, or none can be. */
export function isDecided(votes: readonly Vote[], missing: number): boolean {
  const quorum = majority(votes.length + missing)
  const most = Math.max(0, ...tallyOf(votes).values())
  return most >= quorum || most + missing < quorum
}

/** Lists votes with their sources, safe to print: `a.example: 198.51.100.7; b.example: returned 500 instead of 200`. */
export function nameVotes(votes: readonly Vote[]): string {
  return votes.map(vote => `${vote.source}: ${describeVote(vote)}`).join('; ')
}

/** Describes a vote with its reason: `198.51.100.7 (…)`, or why there is none. */
export function describeVote(vote: Vote): string {
  if ('problem' in vote) return `no vote: ${vote.problem}`
  return vote.note === undefined ? vote.value : `${vote.value} (${vote.note})`
}
