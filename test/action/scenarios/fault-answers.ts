import type { FaultAnswer } from '../../../sandbox/http/faults.ts'

const html = (status: number): FaultAnswer => ({
  kind: 'respond',
  status,
  headers: { 'content-type': 'text/html' },
  body: '<html><h1>502 Bad Gateway</h1><hr>cloudflare-lb</html>',
})

export const limited = (headers: Readonly<Record<string, string>> = {}): FaultAnswer => ({
  kind: 'errors',
  status: 429,
  errors: [{ code: 10100, message: 'More than 1200 requests per 300 seconds reached.' }],
  headers,
})

/** Faults that a second attempt can overcome. */
export const transientFaults: readonly (readonly [string, FaultAnswer])[] = [
  ['429 without Retry-After', limited()],
  ['a response that stalls before its headers', { kind: 'stall', at: 'before-headers' }],
  ['429 with Retry-After', limited({ 'retry-after': '1' })],
  ['a response that stalls in its body', { kind: 'stall', at: 'after-headers', after: 20 }],
  ['500', { kind: 'errors', status: 500, errors: [] }],
  ['a response that drips', { kind: 'drip', everyMs: 200 }],
  ['502 with HTML', html(502)],
  ['a connection that is reset', { kind: 'reset' }],
  ['503 with Retry-After', { kind: 'respond', status: 503, headers: { 'retry-after': '0' } }],
  ['a response cut off in its body', { kind: 'cut', after: 40 }],
  ['200 with HTML', html(200)],
  ['200 with an empty body', { kind: 'respond', status: 200 }],
]
