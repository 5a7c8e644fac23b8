import type { HttpFailure, HttpOutcome, HttpRequest } from '../../lib/exchange.ts'
import { quote } from '../../lib/quote.ts'
import type { RecordType } from '../../lib/record-type.ts'
import type { Reading } from '../problem.ts'
import { families } from '../record-type.ts'
import type { Answer, NoVote } from './quorum.ts'

/** Sends one request within the time that its source of the address has left. */
export type Send = (request: Omit<HttpRequest, 'timeoutMs' | 'signal'>) => Promise<HttpOutcome>

/** A service that answers a plain GET with the caller's address. */
export interface EchoSource {
  readonly kind: 'echo'
  /** Host and port, under which its vote is reported. */
  readonly name: string
  readonly url: string
  /** `text` is the bare address; `trace` is a list of `key=value` lines, as Cloudflare serves it. */
  readonly form: 'text' | 'trace'
}

/** The longest IPv6 address has 45 characters; the rest is room for white space. */
const maxTextBytes = 64
/** A trace is about 300 bytes long. */
const maxTraceBytes = 2048

/**
 * Asks one echo service over the address family of the record, since many return the address that they were asked from.
 * Its vote counts only if the response is a 200, is not HTML, and is one such address from first to last byte. No
 * credential is sent.
 */
export async function askEcho({ url, form }: EchoSource, type: RecordType, send: Send): Promise<Answer> {
  const { version, parse } = families[type]
  const answer = await send({
    method: 'GET',
    url,
    headers: { Accept: 'text/plain' },
    family: version,
    maxBytes: form === 'trace' ? maxTraceBytes : maxTextBytes,
  })
  if (answer.kind === 'failure') return refusalOf(answer)
  if (answer.status !== 200) return { problem: `returned ${answer.status} instead of 200` }
  if (answer.contentType.includes('html')) return { problem: 'returned a web page instead of an address' }
  const text = form === 'trace' ? readTrace(answer.body) : { value: answer.body }
  if ('problem' in text) return text
  const address = parse(text.value)
  return address
    ? { value: address }
    : { problem: `returned ${quote(text.value)}, which is not one IPv${version} address` }
}

/** Returns why a vote does not count after a request that failed. Only a certificate that is not trusted has a fix. */
export function refusalOf({ detail, fix }: HttpFailure): NoVote {
  return { problem: detail, ...(fix !== undefined && { fix }) }
}

/**
 * Reads the address line of a trace (`/cdn-cgi/trace`). It must hold `ip` once, and `warp=off`: through WARP the address
 * is Cloudflare's.
 */
function readTrace(body: string): Reading<string, string> {
  const valuesOf = (key: string) =>
    body.split('\n').flatMap(line => (line.startsWith(`${key}=`) ? line.slice(key.length + 1) : []))
  const [ip, ...otherIps] = valuesOf('ip')
  if (ip === undefined || otherIps.length > 0) {
    return { problem: `returned ${quote(body)}, which is not a trace with one ip= line` }
  }
  const warp = valuesOf('warp')
  if (warp.join() !== 'off') {
    return { problem: `reports warp=${quote(warp.join())} instead of off, so it saw a WARP exit` }
  }
  return { value: ip }
}
