import type { Exchange } from '../http.ts'
import { quote } from '../report/quote.ts'
import { parseIpv4 } from './ipv4.ts'
import type { Vote } from './quorum.ts'

/** An echo service: a URL that answers a plain GET with the caller's address as text. */
export interface EchoSource {
  readonly url: string
  /** Host and port, which name it in logs. */
  readonly name: string
}

/** An IPv4 address has up to 15 characters; the rest leaves room for white space. */
const maxEchoBytes = 64

/**
 * Asks one echo service, once and over IPv4, since some answer with an IPv6 address otherwise. Its vote counts only if
 * the response is a 200, is not HTML, and its whole body is one IPv4 address. Sends no credential.
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
