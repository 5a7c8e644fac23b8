import type { Exchange } from '../http.ts'
import { quote } from '../report/quote.ts'
import { parseIpv4 } from './ipv4.ts'
import type { Vote } from './quorum.ts'

/** An address-echo service: a URL that answers a plain GET with the caller's address as text. */
export interface EchoSource {
  readonly url: string
  /** Host and port, under which its vote is reported. */
  readonly name: string
}

/** The longest IPv4 address has 15 characters; the rest is room for white space. */
const maxEchoBytes = 64

/**
 * Asks one echo service, once and over IPv4 (several of them answer with an IPv6 address otherwise). Its vote counts
 * only when the answer is a 200, is not HTML, and is one IPv4 address from first to last byte. No credential is sent.
 */
export async function askEcho(
  source: EchoSource,
  exchange: Exchange,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Vote> {
  const outcome = await exchange({
    method: 'GET',
    url: source.url,
    headers: { Accept: 'text/plain' },
    family: 4,
    timeoutMs,
    maxBytes: maxEchoBytes,
    signal,
  })
  const refuse = (problem: string): Vote => ({ source: source.name, problem })
  if (outcome.kind === 'failure') return refuse(outcome.detail)
  if (outcome.status !== 200) return refuse(`answered ${outcome.status} instead of 200`)
  if (outcome.contentType.includes('html')) return refuse('answered with a web page instead of an address')
  const address = parseIpv4(outcome.body)
  return address
    ? { source: source.name, address }
    : refuse(`answered ${quote(outcome.body)}, which is not one IPv4 address`)
}
