import type { Problem } from '../problem.ts'

/** What one source said: an address, or why its answer does not count. Both texts are safe to print. */
export type Vote =
  | { readonly source: string; readonly address: string }
  | { readonly source: string; readonly problem: string }

export type Verdict =
  | { readonly kind: 'agreed'; readonly address: string; readonly dissent: readonly string[] }
  | { readonly kind: 'disagreement'; readonly addresses: readonly string[] }
  | { readonly kind: 'too-few'; readonly valid: number }

/** More than half of the configured sources. */
export function majority(sources: number): number {
  return Math.floor(sources / 2) + 1
}

/**
 * Counts the votes. Exactly one address with at least `quorum` votes is agreed upon, and the addresses that lost are
 * its dissent; two such addresses (possible only with a quorum below the majority) are a disagreement, as are
 * several addresses of which none has enough. Failed votes never count for anything, so a quorum over the
 * configured sources cannot be met by asking fewer of them.
 */
export function countVotes(votes: readonly Vote[], quorum: number): Verdict {
  const tally = new Map<string, number>()
  for (const vote of votes) {
    if ('address' in vote) tally.set(vote.address, (tally.get(vote.address) ?? 0) + 1)
  }
  const addresses = [...tally.keys()]
  const winners = addresses.filter(address => (tally.get(address) ?? 0) >= quorum)
  const [winner] = winners
  if (winner !== undefined && winners.length === 1) {
    return { kind: 'agreed', address: winner, dissent: addresses.filter(address => address !== winner) }
  }
  if (addresses.length > 1) return { kind: 'disagreement', addresses }
  return { kind: 'too-few', valid: votes.filter(vote => 'address' in vote).length }
}

/** Says why the votes settle no address. */
export function explainVerdict(
  verdict: Exclude<Verdict, { kind: 'agreed' }>,
  votes: readonly Vote[],
  quorum: number,
): Problem {
  if (verdict.kind === 'disagreement') {
    return {
      reason: 'address-disagreement',
      message:
        `The address sources disagree (${nameVotes(votes)}); quorum asks for ${quorum} with one and the same address. The ` +
        'record was left alone. If this lasts, look for a VPN, a second uplink or a source that lies.',
    }
  }
  return {
    reason: 'address-unavailable',
    message:
      `Only ${verdict.valid} of ${votes.length} address sources answered with an address, and quorum asks for ` +
      `${quorum} (${nameVotes(votes)}). The record was left alone. Check the host's connection, or choose other ` +
      'address-sources.',
  }
}

/** Votes with their sources, safe to print: `a.example: 198.51.100.7; b.example: answered 500 instead of 200`. */
export function nameVotes(votes: readonly Vote[]): string {
  return votes.map(vote => `${vote.source}: ${'address' in vote ? vote.address : vote.problem}`).join('; ')
}
