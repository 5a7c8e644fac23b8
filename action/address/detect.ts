import type { Exchange } from '../../lib/exchange.ts'
import { ipv6Network } from '../../lib/ip-address.ts'
import { type Ipv6Suffix, withSuffix } from '../../lib/ipv6-suffix.ts'
import type { RecordType } from '../../lib/record-type.ts'
import type { Clock, Deadline } from '../deadline.ts'
import type { Reading } from '../problem.ts'
import { type AddressRules, checkAddress } from './check.ts'
import { askEcho, type EchoSource, type Send } from './echo.ts'
import { askInterface, type InterfaceSource, type Interfaces } from './interface.ts'
import { type Answer, countVotes, isDecided, nameVotes, type Vote } from './quorum.ts'
import { askDns, type DnsSource } from './resolver.ts'

/** One source of the address, which has one vote. */
export type VotingSource = EchoSource | DnsSource | InterfaceSource

/** How the address of one record type is learned. */
export interface AddressInputs {
  readonly type: RecordType
  readonly source:
    | { readonly kind: 'given'; readonly address: string }
    | { readonly kind: 'asked'; readonly sources: readonly VotingSource[] }
  /** The host part for each hostname; empty if all hostnames get the address itself. */
  readonly suffixes: ReadonlyMap<string, Ipv6Suffix>
}

/** The address that was learned for one record type, or why there is none. */
export type Detection = {
  readonly type: RecordType
  /** One for each source, in the configured order; empty when the address was given. */
  readonly votes: readonly Vote[]
} & Reading<Detected>

interface Detected {
  /** With suffixes, only the prefix, followed by zeros. */
  readonly address: string
  readonly suffixes: AddressInputs['suffixes']
  readonly warnings: readonly string[]
}

/** What detection needs from the round. */
export interface DetectionContext {
  readonly exchange: Exchange
  readonly deadline: Deadline
  readonly clock: Clock
  /** Lists the addresses of this host. */
  readonly interfaces: () => Interfaces
}

/** How long the other sources have to answer once the outcome is certain. */
const dissentGraceMs = 500

/** Learns the address of one record type and checks it. A given address costs no request. */
export async function detectAddress(
  { type, source, suffixes }: AddressInputs,
  rules: AddressRules,
  context: DetectionContext,
): Promise<Detection> {
  const prefixLength = Math.max(0, ...[...suffixes.values()].map(suffix => suffix.prefixLength))
  const keyOf = (address: string) => (prefixLength > 0 ? ipv6Network(address, prefixLength) : address)
  // Only composed addresses are written, so only they must be in the expected ranges.
  const detectedRules = prefixLength > 0 ? { ...rules, expectedCidrs: [], isPrefix: true } : rules
  const take = (votes: readonly Vote[], address: string, warnings: readonly string[]): Detection => {
    const problem = checkAddress(address, detectedRules)
    return problem ? { type, votes, problem } : { type, votes, value: { address, suffixes, warnings } }
  }
  if (source.kind === 'given') return take([], keyOf(source.address), [])

  const askSource = (voter: VotingSource, send: Send): Answer | Promise<Answer> => {
    if (voter.kind === 'echo') return askEcho(voter, type, send)
    if (voter.kind === 'dns') return askDns(voter, type, send, keyOf)
    return askInterface(voter, type, context.interfaces(), rules.allowReserved, keyOf)
  }
  const ask = async (voter: VotingSource, signal: AbortSignal) => {
    const answer = await askSource(voter, sendWithRetry(context, signal))
    return { source: voter.name, ...(prefixLength > 0 ? prefixOf(answer, keyOf, prefixLength) : answer) }
  }
  const votes = await collectVotes(source.sources, ask, context.clock)
  const counted = countVotes(votes)
  if ('problem' in counted) {
    const { problem } = counted
    const advice = type === 'AAAA' && votes.some(hasNoRoute) ? ` ${noIpv6}` : ''
    return { type, votes, problem: { ...problem, message: problem.message + advice } }
  }
  const address = counted.value
  const dissent = votes.filter(vote => 'value' in vote && vote.value !== address)
  const warning =
    `The quorum agreed on ${address}, but other sources returned another address (${nameVotes(dissent)}). If this ` +
    'persists, look for a second uplink or a faulty source.'
  return take(votes, address, dissent.length === 0 ? [] : [warning])
}

/** Whether this machine could not even send the request: the codes of a system without a route or an address. */
function hasNoRoute(vote: Vote): boolean {
  return 'problem' in vote && /\b(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)\b/.test(vote.problem)
}

const noIpv6 =
  'This machine has no IPv6. If it is a container, give it the network of its host: `network_mode: host`.'

/** Returns the address for a hostname: the learned one, or the learned prefix with the hostname's suffix, checked again. */
export function addressFor(
  hostname: string,
  { address, suffixes }: Detected,
  rules: AddressRules,
): Reading<string> {
  const suffix = suffixes.get(hostname)
  if (!suffix) return { value: address }
  const composed = withSuffix(address, suffix)
  const problem = checkAddress(composed, rules)
  return problem ? { problem } : { value: composed }
}

/** Reduces an answer to its prefix, because the host parts are configured. */
function prefixOf(answer: Answer, keyOf: (address: string) => string, prefixLength: number): Answer {
  if ('problem' in answer) return answer
  const { value, note } = answer
  const prefix = `the /${prefixLength} of ${value}`
  return { value: keyOf(value), note: note === undefined ? prefix : `${prefix}; ${note}` }
}

/**
 * Sends a request, and repeats it once if its connection was reset. All requests of a source share the time of one call,
 * which starts over if the network only came up after it.
 */
function sendWithRetry({ exchange, clock, deadline }: DetectionContext, signal: AbortSignal): Send {
  let endMs: number | null = null
  return async request => {
    async function attempt() {
      const startMs = clock.now()
      const { callMs } = deadline
      const timeoutMs = endMs === null ? callMs : Math.max(1, endMs - startMs)
      const answer = await exchange({ ...request, timeoutMs, signal })
      const nowMs = clock.now()
      endMs ??= (nowMs - startMs > callMs ? nowMs : startMs) + callMs
      return answer
    }
    const answer = await attempt()
    const reset = answer.kind === 'failure' && (answer.cause === 'reset' || answer.cause === 'cut')
    return reset ? attempt() : answer
  }
}

/**
 * Asks every source at once and returns their votes in the configured order. Once the outcome is certain, the others have
 * `dissentGraceMs` left: enough to see dissent, too short for one slow service to delay every run.
 */
export async function collectVotes<Source>(
  sources: readonly Source[],
  ask: (source: Source, signal: AbortSignal) => Promise<Vote>,
  clock: Pick<Clock, 'sleep'>,
): Promise<readonly Vote[]> {
  const votes = new Map<Source, Vote>()
  const stop = new AbortController()
  const done = new AbortController()
  let decided = false
  await Promise.all(
    sources.map(async source => {
      votes.set(source, await ask(source, stop.signal))
      const missing = sources.length - votes.size
      if (decided || missing === 0 || !isDecided([...votes.values()], missing)) return
      decided = true
      void clock.sleep(dissentGraceMs, done.signal).then(() => stop.abort())
    }),
  )
  done.abort()
  return sources.flatMap(source => votes.get(source) ?? [])
}
