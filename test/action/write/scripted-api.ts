import { startDeadline } from '../../../action/deadline.ts'
import type { HttpOutcome, HttpRequest, HttpResponse } from '../../../action/http.ts'
import { type DnsApi, openDnsApi } from '../../../action/records/dns-api.ts'
import type { DnsRecord, RecordBody } from '../../../action/records/record.ts'
import { type PlannedWrite, write } from '../../../action/write.ts'

export const zoneId = 'f'.repeat(32)
const target = { hostname: 'home.example.com', zoneId }
export const body: RecordBody = {
  type: 'A',
  name: target.hostname,
  content: '203.0.113.7',
  ttl: 120,
  proxied: false,
}
export const old: DnsRecord = {
  id: 'a'.repeat(32),
  type: 'A',
  name: target.hostname,
  content: '192.0.2.1',
  ttl: 300,
  proxied: false,
  comment: null,
  tags: [],
  settings: {},
  privateRouting: null,
  readOnly: false,
  hiddenBy: [],
}
export const update: PlannedWrite = { kind: 'update', record: old, body, drift: [] }
export const create: PlannedWrite = { kind: 'create', body }
export const secondId = 'b'.repeat(32)

/** A record in a response of the API. */
export type Shown = Readonly<Record<string, unknown>>
export const shownOld: Shown = {
  id: old.id,
  type: 'A',
  name: old.name,
  content: old.content,
  ttl: 300,
  proxied: false,
}
export const shownNew: Shown = { ...shownOld, content: body.content, ttl: 120 }
export const alias: Shown = { id: secondId, type: 'CNAME', name: old.name, content: 'elsewhere.example' }

export const timeout: HttpOutcome = { kind: 'failure', cause: 'timeout', detail: 'no complete response' }

function answer(status: number, content: unknown, retryAfterMs: number | null = null): HttpResponse {
  const text = JSON.stringify(content)
  return { kind: 'response', status, contentType: 'application/json', retryAfterMs, body: text }
}

export function refused(status: number, code: number, message: string): HttpOutcome {
  return answer(status, { success: false, errors: [{ code, message }] })
}

export const written = (record: Shown) => answer(200, { success: true, errors: [], result: record })
export const listed = (...records: readonly Shown[]) =>
  answer(200, { success: true, errors: [], result: records })
export const unavailable = (retryAfterMs: number | null = null) => answer(503, '', retryAfterMs)
export const limited = (retryAfterMs: number | null = null) => answer(429, '', retryAfterMs)

interface WriteOptions {
  /** Time of the round that earlier requests took. */
  readonly elapsedMs?: number
  /** Changes the state that earlier requests left. */
  prepare?(api: DnsApi): void
}

/**
 * Writes in a round of one minute, in virtual time. The requests have these outcomes, in order. Only a timeout takes time.
 */
export async function attemptWrite(
  plan: PlannedWrite,
  outcomes: readonly (HttpOutcome | Error)[],
  { elapsedMs = 0, prepare = () => {} }: WriteOptions = {},
) {
  const sent: HttpRequest[] = []
  const sleptMs: number[] = []
  let nowMs = 0
  const clock = {
    now: () => nowMs,
    sleep: async (ms: number) => {
      sleptMs.push(ms)
      nowMs += ms
    },
    random: () => 0.5,
  }
  const api = openDnsApi(
    { baseUrl: 'https://dns.example', token: 'token' },
    async request => {
      const outcome = outcomes[sent.length]
      sent.push(request)
      if (!outcome) throw new Error(`No outcome for ${request.method} ${request.url}`)
      if (outcome instanceof Error) throw outcome
      if (outcome.kind === 'failure') nowMs += request.timeoutMs
      return outcome
    },
    startDeadline(60_000, clock),
    clock,
  )
  nowMs = elapsedMs
  prepare(api)
  const result = await write(api, target, plan)
  return {
    result,
    api,
    sleptMs,
    sent: sent.map(({ method }) => method).join(' '),
    bodies: sent.map(request => (request.body === undefined ? undefined : JSON.parse(request.body))),
    timeouts: sent.map(({ timeoutMs }) => timeoutMs),
  }
}

/** Returns the failure of a write that could not be confirmed. */
export function unconfirmed(
  why: string,
  scope: 'service' | 'record' | 'request',
  plan = update,
  record: unknown = null,
) {
  const [what, states] =
    plan.kind === 'update'
      ? ['update of home.example.com from 192.0.2.1 to 203.0.113.7', 'hold either address']
      : ['creation of home.example.com with 203.0.113.7', 'exist or not']
  const message =
    `Could not confirm the ${what}: ${why}. The record may ${states}. The next run checks it; to check it now, run the ` +
    'workflow by hand.'
  return { kind: 'failed', problem: { reason: 'write-unconfirmed', message }, record, scope }
}
