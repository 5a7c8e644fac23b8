import type { Clock, Deadline } from '../deadline.ts'
import type { Exchange } from '../http.ts'
import type { Problem } from '../problem.ts'
import { type AddressRules, checkAddress } from './check.ts'
import { askEcho, type EchoSource } from './echo.ts'
import { countVotes, explainVerdict, nameVotes, type Vote } from './quorum.ts'

/** Where the address comes from. */
export type AddressSource =
  | { readonly kind: 'given'; readonly address: string }
  | { readonly kind: 'echo'; readonly sources: readonly EchoSource[]; readonly quorum: number }

/** The address of a round, or why there is none. */
export type Detection = {
  /** One for each echo source, in the configured order; empty when the address was given. */
  readonly votes: readonly Vote[]
} & (
  | { readonly kind: 'address'; readonly address: string; readonly warnings: readonly string[] }
  | { readonly kind: 'none'; readonly problem: Problem }
)

/** What detection needs of the round. */
export interface DetectionContext {
  readonly exchange: Exchange
  readonly deadline: Deadline
  readonly clock: Clock
}

/** How long the other sources have to dissent once the quorum is reached. */
const dissentGraceMs = 500

/** Learns the address and checks it. A given address costs no request. */
export async function detectAddress(
  source: AddressSource,
  rules: AddressRules,
  { exchange, deadline, clock }: DetectionContext,
): Promise<Detection> {
  if (source.kind === 'given') return checked([], source.address, rules, [])
  const votes = await collectVotes(
    source.sources,
    source.quorum,
    (echo, signal) => askEcho(echo, exchange, deadline.callMs, signal),
    clock,
    dissentGraceMs,
  )
  const verdict = countVotes(votes, source.quorum)
  if (verdict.kind !== 'agreed') {
    return { votes, kind: 'none', problem: explainVerdict(verdict, votes, source.quorum) }
  }
  const dissent = votes.filter(vote => 'address' in vote && vote.address !== verdict.address)
  const warnings = dissent.length === 0 ? [] : [dissentWarning(verdict.address, dissent)]
  return checked(votes, verdict.address, rules, warnings)
}

/**
 * Asks every source at once and returns their votes in the configured order. Once the quorum is reached, the others have
 * `graceMs` left: enough to see dissent, too short for one slow service to delay every run.
 */
export async function collectVotes<Source>(
  sources: readonly Source[],
  quorum: number,
  ask: (source: Source, signal: AbortSignal) => Promise<Vote>,
  clock: Pick<Clock, 'sleep'>,
  graceMs: number,
): Promise<readonly Vote[]> {
  const votes = new Map<Source, Vote>()
  const stop = new AbortController()
  const done = new AbortController()
  let agreed = false
  await Promise.all(
    sources.map(async source => {
      votes.set(source, await ask(source, stop.signal))
      if (agreed || countVotes([...votes.values()], quorum).kind !== 'agreed') return
      agreed = true
      void clock.sleep(graceMs, done.signal).then(() => stop.abort())
    }),
  )
  done.abort()
  return sources.flatMap(source => votes.get(source) ?? [])
}

function checked(
  votes: readonly Vote[],
  address: string,
  rules: AddressRules,
  warnings: readonly string[],
): Detection {
  const problem = checkAddress(address, rules)
  return problem ? { votes, kind: 'none', problem } : { votes, kind: 'address', address, warnings }
}

function dissentWarning(address: string, dissent: readonly Vote[]): string {
  return (
    `The quorum agreed on ${address}, but other sources returned another address (${nameVotes(dissent)}). If this ` +
    'persists, look for a second uplink or a faulty source.'
  )
}
