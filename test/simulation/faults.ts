import type { HttpFailure, HttpOutcome } from '../../lib/exchange.ts'
import type { RecordType } from '../../lib/record-type.ts'
import { response } from '../support/response.ts'
import type { Sequence } from '../support/sequence.ts'
import { drawAddress, token } from './scenario.ts'
import { type Reply, refusal, type Truth } from './zone.ts'

/** What a process receives, and what the judge may conclude from it; null if nothing ever arrives. */
export type Heard = { readonly outcome: HttpOutcome; readonly truth: Truth | null } | null

/** How the service, or the way to it, fails. */
export interface ServiceFault {
  readonly name: string
  /** Whether the request still takes effect: at once, or after the client gave up. */
  readonly takesEffect: 'never' | 'now' | 'late'
  /** Whether a replacement loses what it carries over. */
  readonly loses?: true
  /** `reply` is null when the request takes no effect now. */
  heard(reply: Reply | null): Heard
}

export function failure(cause: HttpFailure['cause']): HttpFailure {
  return { kind: 'failure', cause, detail: `no complete response (${cause})` }
}

function failing(
  name: string,
  takesEffect: ServiceFault['takesEffect'],
  outcome: HttpOutcome | null | ((reply: Reply | null) => HttpOutcome),
): ServiceFault {
  return {
    name,
    takesEffect,
    heard: reply =>
      outcome === null
        ? null
        : { outcome: typeof outcome === 'function' ? outcome(reply) : outcome, truth: null },
  }
}

function refusing(name: string, { status, body }: Reply, retryAfterMs: number | null = null): ServiceFault {
  return failing(name, 'never', response(body, { status, retryAfterMs }))
}

const plain = { contentType: 'text/plain' }
const html = { contentType: 'text/html' }
const gatewayPage = '<html><head><title>502 Bad Gateway</title></head></html>'
const busy = refusal(429, 10100, 'More than 1200 requests per 300 seconds reached.')

/** Returns a list without its records although it counts them, or a record with other content than was sent. */
function altered(reply: Reply | null): HttpOutcome {
  const envelope = JSON.parse(reply?.body ?? '{}')
  if (Array.isArray(envelope.result)) envelope.result = envelope.result.slice(1)
  else if (envelope.result)
    envelope.result.content = envelope.result.type === 'A' ? '84.1.1.1' : '2a02:1:1:1:1:1:1:1'
  return response(envelope, { status: reply?.status ?? 200 })
}

export const serviceFaults: readonly ServiceFault[] = [
  failing('connection refused', 'never', failure('network')),
  failing('reset before it arrived', 'never', failure('reset')),
  failing('reset after it took effect', 'now', failure('reset')),
  failing('cut off, without effect', 'never', failure('cut')),
  failing('cut off after it took effect', 'now', failure('cut')),
  failing('lost on the way', 'never', null),
  failing('answer lost', 'now', null),
  failing('delayed beyond the time limit', 'late', null),
  failing('gateway page', 'never', response(gatewayPage, { status: 502, ...html })),
  failing('gateway page after it took effect', 'now', response(gatewayPage, { status: 502, ...html })),
  failing('503 after it took effect', 'now', response('', { status: 503 })),
  refusing('500', refusal(500, 0, 'internal error')),
  refusing('temporary 403', refusal(403, 10000, 'Authentication error')),
  refusing('401 that shows the token', refusal(401, 9109, `Invalid access token ${token}`)),
  refusing('429', busy),
  refusing('429 for two seconds', busy, 2000),
  refusing('429 for five minutes', busy, 300_000),
  failing('redirect', 'never', response('', { status: 302, ...html })),
  failing('captive portal', 'never', response('<html>Please sign in</html>', html)),
  failing('web page after it took effect', 'now', response(gatewayPage, html)),
  failing('empty body', 'now', response('')),
  failing('half a body', 'now', reply => response(reply?.body.slice(0, -20) ?? '')),
  failing('success: false, without effect', 'never', response(refusal(200, 1, 'sorry').body)),
  failing('success: false after it took effect', 'now', response(refusal(200, 1, 'sorry').body)),
  {
    name: 'loses fields',
    takesEffect: 'now',
    loses: true,
    heard: reply => reply && { outcome: response(reply.body, { status: reply.status }), truth: reply.truth },
  },
  {
    name: 'altered',
    takesEffect: 'now',
    heard: reply => {
      const isEmptyList = reply?.truth?.kind === 'listed' && reply.truth.records.length === 0
      return { outcome: altered(reply), truth: isEmptyList ? reply.truth : null }
    },
  },
]

/** The ways in which the writes of one name always fail, without effect. */
export const stubbornFaults = serviceFaults.filter(({ name }) =>
  ['500', 'reset before it arrived', 'lost on the way', 'gateway page'].includes(name),
)

/** What an address source returns. `address` is set only if that counts as a vote. */
export interface Said {
  readonly outcome: HttpOutcome | null
  readonly address: string | null
}

/** The ways an address source fails. Each draws its own values, so that they can differ every time. */
export const sourceFaults: readonly ((
  type: RecordType,
  current: string,
  previous: string,
  random: Sequence,
) => Said)[] = [
  () => useless(null),
  ...(['network', 'reset', 'cut', 'too-large'] as const).map(cause => () => useless(failure(cause))),
  (_, current) => useless(response(current, { status: 503, ...plain })),
  (_, current) => useless(response(`<html>${current}</html>`, html)),
  (_, current) => useless(response(`${current} ${current}`, plain)),
  (_, current) => useless(response(`${current}.`, plain)),
  () => useless(response('', plain)),
  (type, _, __, random) => useless(response(drawAddress(random, type === 'A' ? 'AAAA' : 'A', 'home'), plain)),
  (_, __, previous) => saying(previous),
  ...(['home', 'reserved', 'proxy'] as const).map(
    kind => (type: RecordType, _: string, __: string, random: Sequence) =>
      saying(drawAddress(random, type, kind)),
  ),
]

function useless(outcome: HttpOutcome | null): Said {
  return { outcome, address: null }
}

export function saying(address: string): Said {
  return { outcome: response(`${address}\n`, plain), address }
}
